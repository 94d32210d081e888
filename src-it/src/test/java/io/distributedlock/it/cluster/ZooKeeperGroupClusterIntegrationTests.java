package io.distributedlock.it.cluster;

import io.distributedlock.it.zookeeper.ZooKeeperServer;

class ZooKeeperGroupClusterIntegrationTests extends GroupClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.zookeeper(ZooKeeperServer.connectString());
	}

	@Override
	boolean tokensFollowRequests() {
		return false;
	}

}
