package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that returns long before Lettuce tries to reconnect, as after a long outage.
 * Here the driver waits for an hour.
 */
class InterruptedConnectionsIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final ClientResources resources = ClientResources.builder()
		.reconnectDelay(Delay.constant(Duration.ofHours(1)))
		.build();

	private final LettuceClientConfiguration configuration = LettuceClientConfiguration.builder()
		.clientResources(this.resources)
		.build();

	private final String key = RedisTestClient.newKey();

	private RedisProcess server;

	private TcpProxy proxy;

	private LettuceConnectionFactory factory;

	private RedisTestClient client;

	private void open(String form) {
		if (form.equals("cluster")) {
			int port = FreePorts.next();
			this.proxy = TcpProxy.to(port);
			this.server = RedisCluster.startAlone(port, "--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port",
					String.valueOf(this.proxy.port()));
			this.factory = RedisFactories
				.lettuce(new RedisClusterConfiguration(List.of("127.0.0.1:" + this.proxy.port())), this.configuration);
		}
		else {
			this.server = RedisProcess.start();
			this.proxy = TcpProxy.to(this.server.port());
			this.factory = RedisFactories.lettuce(new RedisStandaloneConfiguration("127.0.0.1", this.proxy.port()),
					this.configuration);
		}
		this.client = new RedisTestClient(this.factory, new RedisLockSettings(RedisTestClient.PREFIX, "test@host:1",
				Duration.ofSeconds(1), Duration.ofHours(1)));
	}

	@AfterEach
	void end() {
		this.client.close();
		this.factory.destroy();
		this.resources.shutdown(0, 1, TimeUnit.SECONDS);
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "alone", "cluster" })
	void locksAreGrantedAgainTwice(String form) {
		open(form);
		LeaseGrant grant = this.client.acquire(this.key);

		for (int outage = 0; outage < 2; outage++) {
			this.proxy.cut();
			awaitAttempt(AttemptOutcome.Unavailable.class);
			this.proxy.restore();
			this.client.release(awaitAttempt(AttemptOutcome.Granted.class).grant());
		}

		assertThat(this.client.release(grant)).isTrue();
	}

	@Test
	void callsFailAtOnceWhileNoConnectionCanBeOpened() {
		open("alone");
		this.client.release(this.client.acquire(this.key));

		this.proxy.cut();

		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.client.attempt(RedisTestClient.newKey()))
				.isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
					assertThat(unavailable.sent()).isFalse();
					assertThat(unavailable.cause()).hasMessageContaining("There is no connection to the Redis");
				}));
	}

	@Test
	void applicationKeepsItsConnectionAndWhatWaitsForIt() {
		open("alone");
		StatefulConnection<?, ?> shared = sharedConnection();
		this.client.release(this.client.acquire(this.key));
		this.proxy.cut();
		awaitAttempt(AttemptOutcome.Unavailable.class);
		this.proxy.restore();

		this.client.release(awaitAttempt(AttemptOutcome.Granted.class).grant());

		assertThat(sharedConnection()).isSameAs(shared);
		assertThat(shared.isOpen()).isFalse();
	}

	@Test
	void waitersAreWokenAgain() {
		open("alone");
		LettuceConnectionFactory others = RedisFactories.lettuce(this.server.port());
		try (RedisTestClient holder = new RedisTestClient(others)) {
			LeaseGrant grant = holder.acquire(this.key);
			AtomicInteger wakeUps = new AtomicInteger();
			Contender waiter = this.client.connection()
				.contend(LockTarget.exclusive(this.key), wakeUps::incrementAndGet);
			attempt(waiter);
			Awaitility.await("the subscription").until(() -> wakeUps.get() == 1);
			this.proxy.cut();
			Awaitility.await().atMost(PATIENCE).until(() -> subscribers(others) == 0);
			awaitAttempt(AttemptOutcome.Unavailable.class);
			this.proxy.restore();

			Awaitility.await("a subscription anew").atMost(PATIENCE).until(() -> {
				attempt(waiter);
				return subscribers(others) == 1;
			});

			assertThat(attempt(waiter)).isInstanceOf(AttemptOutcome.Busy.class);
			int before = wakeUps.get();
			assertThat(holder.release(grant)).isTrue();
			Awaitility.await("the release").atMost(PATIENCE).until(() -> wakeUps.get() > before);
			waiter.withdraw();
		}
		finally {
			others.destroy();
		}
	}

	private static int subscribers(LettuceConnectionFactory others) {
		try (RedisConnection connection = others.getConnection()) {
			return (int) connection.serverCommands()
				.getClientList()
				.stream()
				.filter((client) -> !"0".equals(client.get("sub")))
				.count();
		}
	}

	private AttemptOutcome attempt(Contender waiter) {
		return RedisTestClient.await(waiter.attempt(this.client.request(RedisTestClient.TTL, true)));
	}

	private <T extends AttemptOutcome> T awaitAttempt(Class<T> outcome) {
		// Each time another key, because an attempt without an answer may have succeeded.
		return outcome.cast(Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.client.attempt(RedisTestClient.newKey()), outcome::isInstance));
	}

	private StatefulConnection<?, ?> sharedConnection() {
		RedisConnection connection = this.factory.getConnection();
		try {
			return ((RedisAsyncCommands<?, ?>) connection.getNativeConnection()).getStatefulConnection();
		}
		finally {
			connection.close();
		}
	}

}
