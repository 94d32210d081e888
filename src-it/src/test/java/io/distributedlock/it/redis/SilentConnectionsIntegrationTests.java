package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections that fall silent without breaking, as behind a firewall that has dropped
 * them, while new ones work.
 */
@FurtherTopology
class SilentConnectionsIntegrationTests {

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

	private TcpProxy proxy;

	private RedisProcess cluster;

	private final String key = RedisTestClient.newKey();

	private RedisConnectionFactory factory;

	private RedisTestClient client;

	private void open(String driver) {
		if (driver.endsWith("Cluster")) {
			int port = FreePorts.next();
			this.proxy = TcpProxy.to(port);
			this.cluster = RedisCluster.startAlone(port, "--cluster-announce-ip", "127.0.0.1",
					"--cluster-announce-port", String.valueOf(this.proxy.port()));
			RedisClusterConfiguration nodes = new RedisClusterConfiguration(List.of("127.0.0.1:" + this.proxy.port()));
			this.factory = driver.startsWith("jedis") ? RedisFactories.jedis(nodes)
					: RedisFactories.lettuce(nodes, LettuceClientConfiguration.defaultConfiguration());
		}
		else {
			this.proxy = TcpProxy.to(RedisServer.port());
			this.factory = driver.equals("jedis") ? RedisFactories.jedis(this.proxy.port())
					: RedisFactories.lettuce(this.proxy.port());
		}
		this.client = new RedisTestClient(this.factory,
				new RedisLockSettings(RedisTestClient.PREFIX, "test@host:1", CALL_TIMEOUT, Duration.ofHours(1)));
	}

	@AfterEach
	void end() throws Exception {
		this.client.close();
		((DisposableBean) this.factory).destroy();
		this.proxy.close();
		if (this.cluster != null) {
			this.cluster.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis", "lettuceCluster", "jedisCluster" })
	void locksAreGrantedAgainAfterThreeCallTimeoutsAndASecond(String driver) {
		open(driver);
		useManyConnections();
		long silentSince = System.nanoTime();
		this.proxy.silence();

		AttemptOutcome outcome = this.client.attempt(RedisTestClient.newKey());
		while (!(outcome instanceof AttemptOutcome.Granted)) {
			assertThat(Duration.ofNanos(System.nanoTime() - silentSince)).as("%s", outcome)
				.isLessThan(CALL_TIMEOUT.multipliedBy(3).plusSeconds(1));
			// Another key, because a driver may repeat the earlier attempt.
			outcome = this.client.attempt(RedisTestClient.newKey());
		}

		System.out.printf("== grant through %s %d ms after all connections fell silent%n", driver,
				Duration.ofNanos(System.nanoTime() - silentSince).toMillis());
		assertThat(this.client.release(((AttemptOutcome.Granted) outcome).grant())).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis", "lettuceCluster", "jedisCluster" })
	void waitersAreWokenAgain(String driver) {
		open(driver);
		int direct = (this.cluster != null) ? this.cluster.port() : RedisServer.port();
		LettuceConnectionFactory others = RedisFactories.lettuce(direct);
		try (RedisTestClient holder = new RedisTestClient(others)) {
			LeaseGrant grant = holder.acquire(this.key);
			AtomicInteger wakeUps = new AtomicInteger();
			Contender waiter = this.client.connection()
				.contend(LockTarget.exclusive(this.key), wakeUps::incrementAndGet);
			attempt(waiter);
			Awaitility.await("the subscription").until(() -> wakeUps.get() == 1);
			this.proxy.silence();

			Awaitility.await("a subscription anew").atMost(Duration.ofSeconds(30)).until(() -> {
				attempt(waiter);
				return wakeUps.get() >= 2;
			});

			assertThat(attempt(waiter)).isInstanceOf(AttemptOutcome.Busy.class);
			int before = wakeUps.get();
			assertThat(holder.release(grant)).isTrue();
			Awaitility.await("the release").until(() -> wakeUps.get() > before);
			waiter.withdraw();
		}
		finally {
			others.destroy();
		}
	}

	private AttemptOutcome attempt(Contender waiter) {
		return RedisTestClient.await(waiter.attempt(this.client.request(RedisTestClient.TTL, true)));
	}

	/**
	 * Leave as many connections in the pool as the locks use at once.
	 */
	private void useManyConnections() {
		for (int round = 0; round < 20; round++) {
			List<CompletionStage<AttemptOutcome>> attempts = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				attempts.add(this.client.connection().contend(LockTarget.exclusive(RedisTestClient.newKey()), () -> {
				}).attempt(this.client.request(RedisTestClient.TTL, false)));
			}
			CompletableFuture
				.allOf(attempts.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
				.join();
		}
	}

}
