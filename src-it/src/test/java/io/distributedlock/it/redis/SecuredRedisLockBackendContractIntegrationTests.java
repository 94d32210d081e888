package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * Runs the contract of all stores on one Redis with TLS and the least rights.
 */
@FurtherTopology
class SecuredRedisLockBackendContractIntegrationTests extends RedisLockBackendContract {

	@Override
	protected RedisConnectionFactory factory() {
		return SecuredRedis.lettuce();
	}

}
