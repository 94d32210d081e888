package io.distributedlock.it.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

/**
 * Tests for the requests that the server counts, and for the keys that remain there. The
 * server has no other clients.
 */
@RequiresEtcd
class EtcdRequestsIntegrationTests {

	private static EtcdProcess server;

	private static Client connections;

	private EtcdTestClient client;

	private final String key = EtcdTestClient.newKey();

	@BeforeAll
	static void start() {
		server = EtcdProcess.start();
		connections = Client.builder().endpoints(server.url()).build();
	}

	@AfterAll
	static void end() {
		connections.close();
		server.close();
	}

	@BeforeEach
	void open() {
		long watches = watches();
		this.client = new EtcdTestClient(connections);
		this.client.release(this.client.acquire(this.key));
		// The session may still be opening.
		Awaitility.await().until(() -> watches() == watches + 1);
	}

	private static long watches() {
		return RequestCounts.of(server).of("Watch");
	}

	@AfterEach
	void close() {
		this.client.close();
	}

	@Test
	void acquisitionIsOneTransactionAndReleaseOneDeletion() {
		RequestCounts before = RequestCounts.of(server);

		for (int i = 0; i < 50; i++) {
			this.client.release(this.client.acquire(this.key));
		}

		assertThat(RequestCounts.of(server).since(before)).isEqualTo(Map.of("Txn", 50L, "DeleteRange", 50L));
	}

	@Test
	void tryOnABusyLockIsATransactionAndAnotherThatLeavesNothing() {
		LeaseGrant grant = this.client.acquire(this.key);
		RequestCounts before = RequestCounts.of(server);

		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);

		assertThat(RequestCounts.of(server).since(before)).isEqualTo(Map.of("Txn", 2L));
		assertThat(EtcdTestClient.places(connections, this.key)).hasSize(1);
		this.client.release(grant);
	}

	@Test
	void acquisitionWithATickIsTwoTransactions() {
		Instant tick = Instant.parse("2026-03-29T01:30:00Z");
		this.client.release(EtcdTestClient.granted(this.client.attempt(this.key, this.client.request(false, tick))));
		RequestCounts before = RequestCounts.of(server);

		AttemptOutcome outcome = this.client.attempt(this.key, this.client.request(false, tick.plusSeconds(1)));

		assertThat(RequestCounts.of(server).since(before)).isEqualTo(Map.of("Txn", 2L));
		this.client.release(EtcdTestClient.granted(outcome));
	}

	@Test
	void waiterIsServedByOneLookWhenItsPredecessorHasGone() {
		LeaseGrant grant = this.client.acquire(this.key);
		long watches = watches();
		AtomicInteger wakeUps = new AtomicInteger();
		Contender waiter = this.client.connection().contend(LockTarget.exclusive(this.key), wakeUps::incrementAndGet);
		assertThat(EtcdTestClient.await(waiter.attempt(this.client.request(true))))
			.isInstanceOf(AttemptOutcome.Busy.class);
		// Watches for its own place and the one before; the attempt does not wait for
		// them.
		Awaitility.await().until(() -> watches() == watches + 2);
		RequestCounts before = RequestCounts.of(server);

		this.client.release(grant);
		Awaitility.await().untilAtomic(wakeUps, equalTo(1));
		AttemptOutcome outcome = EtcdTestClient.await(waiter.attempt(this.client.request(true)));

		assertThat(RequestCounts.of(server).since(before)).isEqualTo(Map.of("Txn", 1L, "DeleteRange", 1L));
		this.client.release(EtcdTestClient.granted(outcome));
	}

	/**
	 * The answer that shows the new place does not show a long queue.
	 */
	@Test
	void waiterBehindALongQueueLooksOnceMoreAndWaitsForTheOneBefore() {
		LeaseGrant grant = this.client.acquire(this.key);
		List<Contender> waiters = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			waiters.add(this.client.connection().contend(LockTarget.exclusive(this.key), () -> {
			}));
			EtcdTestClient.await(waiters.get(i).attempt(this.client.request(true)));
		}
		AtomicInteger wakeUps = new AtomicInteger();
		Contender last = this.client.connection().contend(LockTarget.exclusive(this.key), wakeUps::incrementAndGet);
		RequestCounts before = RequestCounts.of(server);

		AttemptOutcome outcome = EtcdTestClient.await(last.attempt(this.client.request(true)));

		assertThat(outcome).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(RequestCounts.of(server).since(before).get("Txn")).isEqualTo(2);
		waiters.get(7).withdraw();
		Awaitility.await().untilAtomic(wakeUps, equalTo(1));
		last.withdraw();
		waiters.forEach(Contender::withdraw);
		this.client.release(grant);
	}

	@Test
	void hundredLeasesAreConfirmedByOneTransaction() {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			renewals.add(new Renewal(this.client.acquire(EtcdTestClient.newKey()), EtcdTestClient.TTL));
		}
		RequestCounts before = RequestCounts.of(server);

		List<RenewalOutcome> outcomes = EtcdTestClient.await(this.client.connection().renew(renewals));

		assertThat(outcomes).hasSize(100).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(RequestCounts.of(server).since(before)).isEqualTo(Map.of("Txn", 1L));
	}

	@Test
	void thousandsOfKeysLeaveTheStoreAsItWas() {
		int before = EtcdTestClient.stored(connections, EtcdTestClient.NAMESPACE).size();
		for (int round = 0; round < 100; round++) {
			List<CompletableFuture<Boolean>> uses = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				Contender contender = this.client.connection()
					.contend(LockTarget.exclusive(EtcdTestClient.newKey()), () -> {
					});
				uses.add(contender.attempt(this.client.request(i % 2 == 0))
					.thenApply(EtcdTestClient::granted)
					.thenCompose((grant) -> this.client.connection().release(grant, Duration.ZERO))
					.toCompletableFuture());
			}
			uses.forEach((use) -> assertThat(EtcdTestClient.await(use)).isTrue());
		}

		assertThat(EtcdTestClient.stored(connections, EtcdTestClient.NAMESPACE)).hasSize(before);
	}

	@Test
	void waitersThatGiveUpLeaveNothing() {
		LeaseGrant grant = this.client.acquire(this.key);
		for (int i = 0; i < 50; i++) {
			Contender waiter = this.client.connection().contend(LockTarget.exclusive(this.key), () -> {
			});
			waiter.attempt(this.client.request(true));
			waiter.withdraw();
			Contender other = this.client.connection().contend(LockTarget.exclusive(this.key), () -> {
			});
			EtcdTestClient.await(other.attempt(this.client.request(true)));
			other.withdraw();
		}

		Awaitility.await().untilAsserted(() -> assertThat(EtcdTestClient.places(connections, this.key)).hasSize(1));
		this.client.release(grant);
	}

	@Test
	void stoppedClientLeavesNothing() {
		int before = EtcdTestClient.stored(connections, EtcdTestClient.NAMESPACE).size();
		EtcdTestClient other = new EtcdTestClient(connections);
		other.acquire(EtcdTestClient.newKey());
		LeaseGrant grant = this.client.acquire(this.key);
		Contender waiter = other.connection().contend(LockTarget.exclusive(this.key), () -> {
		});
		EtcdTestClient.await(waiter.attempt(other.request(true)));

		other.close();
		this.client.release(grant);

		Awaitility.await()
			.untilAsserted(
					() -> assertThat(EtcdTestClient.stored(connections, EtcdTestClient.NAMESPACE)).hasSize(before));
	}

}
