package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Broken connections, stalled servers and stopped factories. Each test has a server of
 * its own.
 */
class RedisConnectionsIntegrationTests {

	private final RedisProcess server = RedisProcess.start();

	private final LettuceConnectionFactory factory = RedisFactories.lettuce(this.server.port());

	private final RedisTestClient client = new RedisTestClient(this.factory);

	private final String key = RedisTestClient.newKey();

	@AfterEach
	void end() {
		this.server.resume();
		this.client.close();
		this.factory.destroy();
		this.server.kill();
	}

	@Test
	void killedConnectionsBetweenAnyTwoOperationsAreNotNoticed() {
		for (int round = 0; round < 5; round++) {
			killConnections("normal");
			LeaseGrant grant = this.client.acquire(this.key);
			killConnections("normal");
			assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			killConnections("normal");
			assertThat(RedisTestClient.await(this.client.connection().find(this.key))).isPresent();
			killConnections("normal");
			assertThat(this.client.release(grant)).isTrue();
		}
	}

	@Test
	void releaseThatWasInterruptedIsNeverTakenForALoss() throws InterruptedException {
		AtomicInteger rounds = new AtomicInteger();
		Thread killer = new Thread(() -> asOperator((commands) -> {
			while (rounds.get() < 300) {
				commands.clientKill(KillArgs.Builder.typeNormal().skipme());
			}
		}));
		killer.start();
		while (rounds.incrementAndGet() < 300) {
			String each = RedisTestClient.newKey();
			AttemptOutcome outcome = this.client.attempt(each);
			if (outcome instanceof AttemptOutcome.Granted granted) {
				Boolean stood = this.client.connection()
					.release(granted.grant(), Duration.ZERO)
					.exceptionally((unknown) -> null)
					.toCompletableFuture()
					.join();
				assertThat(stood).isNotEqualTo(false);
			}
			else {
				assertThat(outcome).isInstanceOf(AttemptOutcome.Unavailable.class);
			}
		}
		killer.join();
	}

	@Test
	void connectionsThatOthersCloseAreNoInterruption() throws InterruptedException {
		RedisClient shared = (RedisClient) this.factory.getRequiredNativeClient();
		AtomicInteger closed = new AtomicInteger();
		AtomicBoolean ended = new AtomicBoolean();
		Thread other = new Thread(() -> {
			while (!ended.get()) {
				shared.connect().close();
				closed.incrementAndGet();
			}
		});
		other.start();
		try {
			while (closed.get() < 100) {
				String each = RedisTestClient.newKey();
				LeaseGrant grant = this.client.acquire(each);

				assertThat(RedisTestClient.await(this.client.connection().forceRelease(each, Duration.ZERO))).isTrue();
				assertThat(RedisTestClient.await(this.client.connection().forceRelease(each, Duration.ZERO))).isFalse();
				assertThat(this.client.release(grant)).isFalse();
			}
		}
		finally {
			ended.set(true);
			other.join();
		}
	}

	@Test
	void waiterWhoseSubscriptionBrokeAttemptsOnceItStandsAgain() {
		LeaseGrant grant = this.client.acquire(this.key);
		AtomicInteger wakeUps = new AtomicInteger();
		Contender waiter = this.client.connection().contend(LockTarget.exclusive(this.key), wakeUps::incrementAndGet);
		RedisTestClient.await(waiter.attempt(this.client.request(RedisTestClient.TTL, true)));
		// By the confirmation of the subscription.
		Awaitility.await().until(() -> wakeUps.get() == 1);

		killConnections("pubsub");

		Awaitility.await().until(() -> wakeUps.get() == 2);
		RedisTestClient.await(waiter.attempt(this.client.request(RedisTestClient.TTL, true)));
		this.client.release(grant);
		Awaitility.await().until(() -> wakeUps.get() == 3);
		waiter.withdraw();
	}

	@Test
	void waitersOfAClientShareOneSubscription() {
		LeaseGrant grant = this.client.acquire(this.key);
		String otherKey = RedisTestClient.newKey();
		LeaseGrant other = this.client.acquire(otherKey);
		AtomicInteger wakeUps = new AtomicInteger();
		Contender waiter = this.client.connection().contend(LockTarget.exclusive(this.key), () -> {
		});
		Contender otherWaiter = this.client.connection()
			.contend(LockTarget.exclusive(otherKey), wakeUps::incrementAndGet);
		RedisTestClient.await(waiter.attempt(this.client.request(RedisTestClient.TTL, true)));
		RedisTestClient.await(otherWaiter.attempt(this.client.request(RedisTestClient.TTL, true)));
		Awaitility.await().until(() -> wakeUps.get() > 0);
		int before = wakeUps.get();

		this.client.release(grant);
		this.client.release(other);

		Awaitility.await().until(() -> wakeUps.get() == before + 1);
		asOperator((commands) -> assertThat(commands.pubsubNumsub("lock:released")).containsEntry("lock:released", 1L));
	}

	@Test
	void serverThatStandsStillIsUnavailableAndWhatWasSentMayHaveBeenExecuted() {
		this.client.release(this.client.acquire(this.key));
		this.server.pause();

		AttemptOutcome outcome = this.client.attempt(this.key);

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
			assertThat(unavailable.sent()).isTrue();
			assertThat(unavailable.cause()).hasMessageContaining("gave no answer within");
		});
		this.server.resume();
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(RedisTestClient.await(this.client.connection().find(this.key))).isPresent());
	}

	@Test
	void clientThatListensToAServerThatStandsStillStopsAllTheSame() {
		this.client.acquire(this.key);
		AtomicInteger wakeUps = new AtomicInteger();
		RedisTestClient other = new RedisTestClient(this.factory);
		Contender waiter = other.connection().contend(LockTarget.exclusive(this.key), wakeUps::incrementAndGet);
		RedisTestClient.await(waiter.attempt(other.request(RedisTestClient.TTL, true)));
		Awaitility.await().until(() -> wakeUps.get() > 0);
		this.server.pause();

		// Lettuce waits for a minute.
		assertThat(CompletableFuture.runAsync(other::close)).succeedsWithin(Duration.ofSeconds(30));

		this.server.resume();
	}

	@Test
	void serverThatIsGoneIsUnavailableUntilItIsBack() {
		this.client.release(this.client.acquire(this.key));
		this.server.kill();
		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Unavailable.class);

		this.server.restart();

		Awaitility.await()
			.untilAsserted(() -> assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Granted.class));
	}

	@Test
	void restartWithoutDataLosesLeasesAndTokensGoOnGrowing() {
		LeaseGrant grant = this.client.acquire(this.key);
		this.server.kill();
		this.server.restart();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.client.attempt(RedisTestClient.newKey()))
				.isInstanceOf(AttemptOutcome.Granted.class));

		LeaseGrant next = this.client.acquire(this.key);

		assertThat(next.token().first()).isGreaterThan(grant.token().last());
		assertThat(this.client.renew(grant, RedisTestClient.TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(grant)).isFalse();
	}

	@Test
	void stoppedFactoryIsUnavailableAndNothingWasSent() {
		this.client.release(this.client.acquire(this.key));
		this.factory.stop();

		assertThat(this.client.attempt(this.key)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isFalse());

		this.factory.start();
		this.client.release(this.client.acquire(this.key));
	}

	@Test
	void factoryThatWasStoppedAndStartedGivesFreshConnections() {
		this.client.release(this.client.acquire(this.key));
		this.client.connection().close();
		this.factory.stop();
		assertThatThrownBy(() -> RedisTestClient.await(this.client.connection().find(this.key)));

		this.factory.start();
		this.client.reconnect();

		LeaseGrant grant = this.client.acquire(this.key);
		assertThat(this.client.release(grant)).isTrue();
	}

	@Test
	void connectionThatTheApplicationResetsIsReplaced() {
		this.client.release(this.client.acquire(this.key));

		this.factory.resetConnection();

		this.client.release(this.client.acquire(this.key));
	}

	@Test
	void factoryWithoutASharedConnectionServes() {
		LettuceConnectionFactory own = new LettuceConnectionFactory("127.0.0.1", this.server.port());
		own.setShareNativeConnection(false);
		own.afterPropertiesSet();
		own.start();
		try (RedisTestClient unshared = new RedisTestClient(own)) {
			for (int i = 0; i < 50; i++) {
				unshared.release(unshared.acquire(this.key));
			}
		}
		finally {
			own.destroy();
		}
	}

	private void killConnections(String type) {
		asOperator((commands) -> commands.clientKill(
				type.equals("pubsub") ? KillArgs.Builder.typePubsub() : KillArgs.Builder.typeNormal().skipme()));
	}

	private void asOperator(Consumer<RedisCommands<String, String>> work) {
		RedisClient operator = RedisClient.create(RedisURI.create("127.0.0.1", this.server.port()));
		try {
			work.accept(operator.connect().sync());
		}
		finally {
			operator.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

}
