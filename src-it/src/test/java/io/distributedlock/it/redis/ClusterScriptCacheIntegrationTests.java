package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Forgotten scripts on a Redis Cluster.
 */
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
