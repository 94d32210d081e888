package io.distributedlock.it.redis;

import java.time.Duration;

import io.lettuce.core.ReadFrom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockInfo;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that reads from replicas, one of which is stalled. Locks never use
 * replicas.
 */
class RedisReplicasIntegrationTests {

	private static final RedisProcess MASTER = RedisProcess.start();

	private static final RedisProcess REPLICA = RedisProcess.start("--replicaof", "127.0.0.1",
			String.valueOf(MASTER.port()));

	@AfterAll
	static void end() {
		REPLICA.kill();
		MASTER.kill();
	}

	@ParameterizedTest
	@ValueSource(strings = { "replica", "replicaPreferred", "any", "nearest" })
	void staticReplicasAreNeverAsked(String readFrom) {
		RedisStaticMasterReplicaConfiguration configuration = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
				MASTER.port());
		configuration.addNode("127.0.0.1", REPLICA.port());

		assertThatLocksWork(configuration, readFrom);
	}

	@ParameterizedTest
	@ValueSource(strings = { "replica", "replicaPreferred", "any", "nearest" })
	void replicasThatWereDiscoveredAreNeverAsked(String readFrom) {
		assertThatLocksWork(new RedisStandaloneConfiguration("127.0.0.1", MASTER.port()), readFrom);
	}

	private void assertThatLocksWork(RedisConfiguration configuration, String readFrom) {
		LettuceConnectionFactory factory = RedisFactories.lettuce(configuration,
				LettuceClientConfiguration.builder().readFrom(ReadFrom.valueOf(readFrom)).build());
		try (RedisTestClient client = new RedisTestClient(factory)) {
			client.release(client.acquire(RedisTestClient.newKey()));
			REPLICA.pause();
			for (int i = 0; i < 10; i++) {
				assertThatLockWorks(client, RedisTestClient.newKey());
			}
		}
		finally {
			REPLICA.resume();
			factory.destroy();
		}
	}

	private static void assertThatLockWorks(RedisTestClient client, String key) {
		LeaseGrant grant = client.acquire(key);
		assertThat(client.attempt(key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(client.renew(grant, Duration.ofSeconds(90))).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(RedisTestClient.await(client.connection().find(key))).isPresent();
		assertThat(RedisTestClient.await(ListedLocks.all(client.connection()))).extracting(LockInfo::key).contains(key);
		assertThat(client.release(grant)).isTrue();
	}

}
