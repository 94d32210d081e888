package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.it.FurtherTopology;

/**
 * Forgotten scripts on a Redis Cluster.
 */
@FurtherTopology
class ClusterScriptCacheIntegrationTests extends RedisScriptCacheContract {

	@Override
	protected RedisConnectionFactory factory() {
		return RedisCluster.lettuce();
	}

	@Override
	protected void forgetScripts() {
		// On all masters.
		RedisCluster.lettuce().getClusterConnection().scriptingCommands().scriptFlush();
	}

}
