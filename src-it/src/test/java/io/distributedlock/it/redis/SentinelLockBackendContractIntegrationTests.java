package io.distributedlock.it.redis;

import java.time.Duration;

import io.lettuce.core.ReadFrom;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackendContract;

/**
 * The contract of all stores on a Redis with a replica and a sentinel, where the
 * application reads from replicas.
 */
class SentinelLockBackendContractIntegrationTests extends RedisLockBackendContract {

	@Override
	protected RedisConnectionFactory factory() {
		return Running.FACTORY;
	}

	private static final class Running {

		static final RedisConnectionFactory FACTORY = RedisSentinel.start(Duration.ofSeconds(60))
			.lettuce(ReadFrom.REPLICA_PREFERRED);

	}

}
