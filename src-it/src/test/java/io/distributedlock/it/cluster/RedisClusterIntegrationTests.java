package io.distributedlock.it.cluster;

import io.distributedlock.it.redis.RedisServer;

class RedisClusterIntegrationTests extends ClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.redis(RedisServer.port());
	}

}
