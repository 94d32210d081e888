package io.distributedlock.it.redis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * Runs the contract of all stores on one Redis, through Jedis.
 */
@FurtherTopology
class JedisLockBackendContractIntegrationTests extends RedisLockBackendContract {

	@Override
	protected RedisConnectionFactory factory() {
		return RedisServer.jedis();
	}

}
