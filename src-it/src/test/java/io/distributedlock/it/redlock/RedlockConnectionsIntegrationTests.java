package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Silent and slow connections.
 */
@FurtherTopology
class RedlockConnectionsIntegrationTests {

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * The longest time to a grant after the connections have fallen silent.
	 */
	private static final Duration BOUND = CALL_TIMEOUT.multipliedBy(3).plusSeconds(1);

	private static final Duration TTL = Duration.ofSeconds(60);

	private final List<NodeProxy> ways = IntStream.range(0, 3)
		.mapToObj((index) -> NodeProxy.to(RedlockServers.shared().get(index).port()))
		.toList();

	private final String key = RedlockTestClient.newKey();

	@AfterEach
	void end() {
		this.ways.forEach(NodeProxy::close);
	}

	@Test
	void connectionsThatFallSilentAreReplaced() {
		try (RedlockTestClient client = client(CALL_TIMEOUT).awaitVotes(3)) {
			client.release(client.acquire(this.key));

			this.ways.forEach(NodeProxy::silence);

			Awaitility.await()
				.atMost(BOUND)
				.pollInterval(Duration.ofMillis(50))
				.until(() -> client.attempt(this.key, client.request(TTL, false)) instanceof AttemptOutcome.Granted);
		}
	}

	@Test
	void leaseIsRenewedAndReleasedOverNewConnections() {
		try (RedlockTestClient client = client(CALL_TIMEOUT).awaitVotes(3)) {
			LeaseGrant held = client.acquire(this.key);

			this.ways.forEach(NodeProxy::silence);

			Awaitility.await().atMost(BOUND).until(() -> client.renew(held) instanceof RenewalOutcome.Renewed);
			assertThat(client.release(held)).isTrue();
		}
	}

	@Test
	void waiterHearsOfReleasesAgain() {
		try (RedlockTestClient holder = client(CALL_TIMEOUT).awaitVotes(3);
				RedlockTestClient client = client(CALL_TIMEOUT).awaitVotes(3)) {
			LeaseGrant held = holder.acquire(this.key);
			AtomicInteger wakeUps = new AtomicInteger();
			Contender waiter = client.connection().contend(LockTarget.exclusive(this.key), wakeUps::incrementAndGet);
			assertThat(RedlockTestClient.await(waiter.attempt(client.request(TTL, true))))
				.isInstanceOf(AttemptOutcome.Busy.class);
			Awaitility.await().until(() -> wakeUps.get() > 0);

			this.ways.forEach(NodeProxy::silence);
			Awaitility.await().atMost(BOUND).ignoreExceptions().until(() -> holder.release(held));
			int before = wakeUps.get();

			Awaitility.await().atMost(BOUND).until(() -> wakeUps.get() > before);
			Awaitility.await()
				.atMost(BOUND)
				.until(() -> RedlockTestClient
					.await(waiter.attempt(client.request(TTL, true))) instanceof AttemptOutcome.Granted);
		}
	}

	@Test
	void connectionsThatAreSlowerThanACallAreThereForALaterOne() {
		this.ways.forEach((way) -> way.delayConnections(Duration.ofSeconds(3)));

		try (RedlockTestClient client = client(Duration.ofMillis(500))) {
			assertThat(client.attempt(this.key)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.sent()).isFalse());

			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> client.attempt(this.key) instanceof AttemptOutcome.Granted);
		}
	}

	private RedlockTestClient client(Duration callTimeout) {
		List<RedlockEndpoint> endpoints = this.ways.stream().map((way) -> RedlockServers.endpoint(way.port())).toList();
		return new RedlockTestClient(endpoints,
				new RedlockSettings(endpoints.stream().map(RedlockEndpoint::name).toList(), callTimeout.dividedBy(2),
						TTL, false, Duration.ofHours(1), callTimeout, "test@host:1", this.key + ":"));
	}

}
