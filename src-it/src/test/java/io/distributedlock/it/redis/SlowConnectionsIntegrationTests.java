package io.distributedlock.it.redis;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that takes longer to connect to than a call may take, or is unreachable at
 * startup.
 */
@FurtherTopology
class SlowConnectionsIntegrationTests {

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void connectionThatTakesLongerThanACallServesLaterCalls(String driver) {
		try (TcpProxy proxy = TcpProxy.to(RedisServer.port())) {
			proxy.answers().hold();
			RedisConnectionFactory factory = driver.equals("jedis") ? RedisFactories.jedis(proxy.port())
					: RedisFactories.lettuce(proxy.port());
			try (RedisTestClient client = new RedisTestClient(factory, new RedisLockSettings(RedisTestClient.PREFIX,
					"test@host:1", Duration.ofMillis(500), Duration.ofHours(1)))) {
				long begin = System.nanoTime();
				while (System.nanoTime() - begin < Duration.ofSeconds(3).toNanos()) {
					assertThat(client.attempt(RedisTestClient.newKey())).isInstanceOf(AttemptOutcome.Unavailable.class);
				}
				proxy.answers().pass();

				Awaitility.await("a grant")
					.atMost(Duration.ofSeconds(20))
					.until(() -> client.attempt(RedisTestClient.newKey()) instanceof AttemptOutcome.Granted);
			}
			finally {
				RedisFactories.destroy(factory);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void applicationStartsWhileTheServerIsAwayAndLocksWhenItIsBack(String driver) {
		int port = FreePorts.next();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port,
					"spring.data.redis.client-type=" + driver, "lock.fail-fast=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				try (RedisProcess server = RedisProcess.start(port)) {
					LockTemplate locks = context.getBean(LockTemplate.class);
					Awaitility.await("a lock")
						.atMost(Duration.ofSeconds(30))
						.ignoreExceptions()
						.until(() -> locks.execute(RedisTestClient.newKey(), (lease) -> lease.isHeld()));
				}
			});
	}

}
