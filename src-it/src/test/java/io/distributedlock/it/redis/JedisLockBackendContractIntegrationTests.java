package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackendContract;

/**
 * The contract of all stores on one Redis, through Jedis.
 */
class JedisLockBackendContractIntegrationTests extends RedisLockBackendContract {

	@Override
	protected RedisConnectionFactory factory() {
		return RedisServer.jedis();
	}

}
