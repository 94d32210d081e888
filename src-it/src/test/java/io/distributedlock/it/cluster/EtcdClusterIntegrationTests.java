package io.distributedlock.it.cluster;

import org.junit.jupiter.api.AfterEach;

import io.distributedlock.it.etcd.EtcdCluster;
import io.distributedlock.it.etcd.RequiresEtcd;

@RequiresEtcd
class EtcdClusterIntegrationTests extends ClusterContract {

	private final EtcdCluster members = EtcdCluster.start();

	@Override
	ClusterStore store() {
		return ClusterStore.etcd(this.members.urls());
	}

	@AfterEach
	void end() {
		this.members.close();
	}

}
