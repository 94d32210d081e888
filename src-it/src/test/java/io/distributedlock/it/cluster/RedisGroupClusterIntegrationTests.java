package io.distributedlock.it.cluster;

import io.distributedlock.it.redis.RedisServer;

class RedisGroupClusterIntegrationTests extends GroupClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.redis(RedisServer.port());
	}

}
