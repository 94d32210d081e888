package io.distributedlock.it.cluster;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.redis.RedisCluster;

@FurtherTopology
class RedisSeveralSlotsGroupClusterIntegrationTests extends GroupClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.redisCluster(RedisCluster.ports());
	}

}
