package io.distributedlock.it.redis;

import java.time.Duration;

import io.lettuce.core.ReadFrom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.backend.redis.RedisLockSettings.ReplicaAcks;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.spi.AttemptOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An old primary that continues to run after a fail-over, while drivers are still
 * connected to it.
 */
@FurtherTopology
class SentinelDriversIntegrationTests {

	private final RedisSentinel servers = RedisSentinel.start(Duration.ofSeconds(1));

	private RedisConnectionFactory factory;

	@AfterEach
	void end() {
		RedisFactories.destroy(this.factory);
		this.servers.stop();
	}

	@ParameterizedTest
	@CsvSource({ "lettuce", "lettuceReadFrom", "jedis" })
	void oldPrimaryThatGoesOnGrantsNothingWhereReplicasHaveToAcknowledge(String driver) {
		this.factory = driver.equals("jedis") ? this.servers.jedis()
				: this.servers.lettuce(driver.equals("lettuce") ? null : ReadFrom.UPSTREAM);
		Awaitility.await("the replica").atMost(Duration.ofSeconds(30)).until(this.servers::isReplicaKnown);
		StringRedisTemplate promoted = new StringRedisTemplate(RedisFactories.lettuce(this.servers.replica().port()));
		try (RedisTestClient client = new RedisTestClient(this.factory, new RedisLockSettings(RedisTestClient.PREFIX,
				"test@host:1", Duration.ofSeconds(2), Duration.ofHours(1), 1, ReplicaAcks.STRICT))) {
			Awaitility.await("a grant")
				.atMost(Duration.ofSeconds(30))
				.until(() -> client.attempt(RedisTestClient.newKey()) instanceof AttemptOutcome.Granted);
			this.servers.master().pause();
			Awaitility.await("the promotion").atMost(Duration.ofSeconds(60)).until(() -> this.servers.isPromoted());
			this.servers.master().resume();

			int granted = 0;
			long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
			while (granted < 100 && System.nanoTime() - end < 0) {
				String key = RedisTestClient.newKey();
				if (client.attempt(key) instanceof AttemptOutcome.Granted) {
					granted++;
					assertThat(promoted.hasKey("lock:{" + key + "}")).as("a lock that the promoted replica knows")
						.isTrue();
				}
			}

			assertThat(granted).isPositive();
		}
	}

}
