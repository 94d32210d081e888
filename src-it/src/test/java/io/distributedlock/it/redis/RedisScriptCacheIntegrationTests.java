package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Forgotten scripts on one Redis, through Lettuce.
 */
class RedisScriptCacheIntegrationTests extends RedisScriptCacheContract {

	@Override
	protected RedisConnectionFactory factory() {
		return RedisServer.lettuce();
	}

	@Override
	protected void forgetScripts() {
		try (RedisConnection connection = factory().getConnection()) {
			connection.scriptingCommands().scriptFlush();
		}
	}

}
