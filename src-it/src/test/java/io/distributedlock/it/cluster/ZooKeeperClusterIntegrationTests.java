package io.distributedlock.it.cluster;

import org.junit.jupiter.api.AfterEach;

import io.distributedlock.it.zookeeper.ZooKeeperEnsemble;

class ZooKeeperClusterIntegrationTests extends ClusterContract {

	private ZooKeeperEnsemble ensemble;

	@Override
	ClusterStore store() {
		this.ensemble = ZooKeeperEnsemble.direct(this.processes);
		return ClusterStore.zookeeper(this.ensemble.connectString());
	}

	@AfterEach
	void close() {
		this.ensemble.close();
	}

}
