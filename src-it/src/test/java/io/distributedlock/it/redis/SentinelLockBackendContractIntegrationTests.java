package io.distributedlock.it.redis;

import java.time.Duration;

import io.lettuce.core.ReadFrom;
import org.awaitility.Awaitility;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * The contract of all stores on a Redis with a replica and a sentinel, where the
 * application reads from replicas.
 */
@FurtherTopology
class SentinelLockBackendContractIntegrationTests extends RedisLockBackendContract {

	@Override
	protected RedisConnectionFactory factory() {
		return Running.FACTORY;
	}

	private static final class Running {

		static final RedisConnectionFactory FACTORY = start();

		/**
		 * The first connection takes long while the replica is still being filled.
		 */
		private static RedisConnectionFactory start() {
			RedisSentinel servers = RedisSentinel.start(Duration.ofSeconds(60));
			Awaitility.await("the replica").atMost(Duration.ofSeconds(60)).until(servers::isReplicaKnown);
			RedisConnectionFactory factory = servers.lettuce(ReadFrom.REPLICA_PREFERRED);
			factory.getConnection().close();
			return factory;
		}

	}

}
