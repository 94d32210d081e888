package io.distributedlock.it.zookeeper;

import io.distributedlock.backend.zookeeper.ZooKeeperLockBackendContract;
import io.distributedlock.backend.zookeeper.ZooKeeperRoute;

/**
 * The contract of all stores on one ZooKeeper.
 */
class ZooKeeperLockBackendContractIntegrationTests extends ZooKeeperLockBackendContract {

	@Override
	protected ZooKeeperRoute newRoute() {
		return ProxyRoute.to(ZooKeeperServer.port());
	}

	@Override
	protected String direct() {
		return ZooKeeperServer.connectString();
	}

}
