package io.distributedlock.it.redis;

import java.time.Duration;

import io.lettuce.core.ReadFrom;
import org.awaitility.Awaitility;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * Runs the contract of all stores on a Redis with a replica and a Sentinel, for an
 * application that reads from replicas.
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
		 * Wait for the replica, because the first connection takes long while the replica
		 * loads its data.
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
