package io.distributedlock.it.stores;

import java.util.List;

/**
 * The stores that every machine has.
 */
class SeveralStoresIntegrationTests extends SeveralStoresContract {

	SeveralStoresIntegrationTests() {
		super(List.of("jdbc", "redis", "redlock", "zookeeper"));
	}

}
