package io.distributedlock.it.stores;

import java.util.List;

import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.etcd.RequiresEtcd;

/**
 * All stores, etcd among them, in another order.
 */
@RequiresEtcd
class SeveralStoresWithEtcdIntegrationTests extends SeveralStoresContract {

	SeveralStoresWithEtcdIntegrationTests() {
		super(List.of("etcd", "zookeeper", "redlock", "redis", "jdbc"), "lock.etcd.endpoints=" + EtcdServer.url());
	}

}
