package io.distributedlock.it.cluster;

import java.util.List;

import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.etcd.RequiresEtcd;

@RequiresEtcd
class EtcdGroupClusterIntegrationTests extends GroupClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.etcd(List.of(EtcdServer.url()));
	}

	@Override
	boolean tokensFollowRequests() {
		return false;
	}

}
