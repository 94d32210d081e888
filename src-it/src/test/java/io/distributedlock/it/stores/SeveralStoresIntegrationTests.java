package io.distributedlock.it.stores;

import java.util.List;

/**
 * The stores that are present on every machine.
 */
class SeveralStoresIntegrationTests extends SeveralStoresContract {

	SeveralStoresIntegrationTests() {
		super(List.of("jdbc", "redis", "redlock", "zookeeper"));
	}

}
