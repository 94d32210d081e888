package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackendContract;

/**
 * Runs the contract of all stores on one Redis, through Lettuce.
 */
class RedisLockBackendContractIntegrationTests extends RedisLockBackendContract {

	@Override
	protected RedisConnectionFactory factory() {
		return RedisServer.lettuce();
	}

}
