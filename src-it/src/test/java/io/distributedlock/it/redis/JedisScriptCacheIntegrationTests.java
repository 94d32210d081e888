package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.it.FurtherTopology;

/**
 * Forgotten scripts on one Redis, through Jedis.
 */
@FurtherTopology
class JedisScriptCacheIntegrationTests extends RedisScriptCacheContract {

	@Override
	protected RedisConnectionFactory factory() {
		return RedisServer.jedis();
	}

	@Override
	protected void forgetScripts() {
		try (RedisConnection connection = factory().getConnection()) {
			connection.scriptingCommands().scriptFlush();
		}
	}

}
