package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Forgotten scripts on one Redis, through Jedis.
 */
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
