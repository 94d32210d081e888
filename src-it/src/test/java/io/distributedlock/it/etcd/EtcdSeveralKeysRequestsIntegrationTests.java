package io.distributedlock.it.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the requests that leases on several keys and their waiters make, as the
 * server counts them. The server has no other clients.
 */
@RequiresEtcd
class EtcdSeveralKeysRequestsIntegrationTests {

	private static final Instant TICK = Instant.parse("2026-03-29T01:30:00.250Z");

	private static EtcdProcess server;

	private static Client connections;

	private EtcdTestClient client;

	private final List<String> keys = keys(3);

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
		this.client.release(this.client.acquire(EtcdTestClient.newKey()));
		// The session may still be opening.
		Awaitility.await().until(() -> watches() == watches + 1);
	}

	@AfterEach
	void close() {
		this.client.close();
	}

	private static List<String> keys(int number) {
		return IntStream.range(0, number).mapToObj((i) -> EtcdTestClient.newKey()).sorted().toList();
	}

	private static Stream<String> places(List<String> keys) {
		return keys.stream()
			.flatMap((key) -> EtcdTestClient.places(connections, key).stream())
			.map((place) -> place.getKey().toString());
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = { "EXCLUSIVE", "SHARED" })
	void leaseTakesOneTransactionAndItsReleaseAnother(LockMode mode) {
		RequestCounts before = RequestCounts.of(server);

		for (int i = 0; i < 20; i++) {
			assertThat(this.client.release(acquire(this.keys, mode))).isTrue();
		}

		assertThat(since(before)).isEqualTo(Map.of("Txn", 40L));
		assertThat(places(this.keys)).isEmpty();
	}

	@Test
	void allPlacesOfALeaseHaveTheSameRevision() {
		LeaseGrant grant = acquire(this.keys, LockMode.EXCLUSIVE);

		List<KeyValue> places = this.keys.stream()
			.flatMap((key) -> EtcdTestClient.places(connections, key).stream())
			.toList();
		assertThat(places).hasSize(3);
		assertThat(places).allMatch((place) -> place.getCreateRevision() * 1024 == grant.token().first());
		assertThat(grant.tokens()).hasSize(3).containsOnly(grant.token());
		this.client.release(grant);
	}

	@Test
	void busyTryIsATransactionAndAnotherThatLeavesNothing() {
		LeaseGrant holder = this.client.acquire(this.keys.get(1));
		RequestCounts before = RequestCounts.of(server);

		for (int i = 0; i < 20; i++) {
			assertThat(attempt(this.keys, LockMode.EXCLUSIVE)).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(attempt(this.keys, LockMode.SHARED)).isInstanceOf(AttemptOutcome.Busy.class);
		}

		assertThat(since(before)).isEqualTo(Map.of("Txn", 80L));
		assertThat(places(this.keys)).hasSize(1);
		assertThat(this.client.release(holder)).isTrue();
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = { "EXCLUSIVE", "SHARED" })
	void leaseIsConfirmedByOneTransaction(LockMode mode) {
		LeaseGrant grant = acquire(this.keys, mode);
		RequestCounts before = RequestCounts.of(server);

		assertThat(this.client.renew(grant)).isInstanceOf(RenewalOutcome.Renewed.class);

		assertThat(since(before)).isEqualTo(Map.of("Txn", 1L));
		this.client.release(grant);
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = { "EXCLUSIVE", "SHARED" })
	void cooldownIsALeaseAndATransaction(LockMode mode) {
		LeaseGrant grant = acquire(this.keys, mode);
		RequestCounts before = RequestCounts.of(server);

		assertThat(this.client.release(grant, Duration.ofSeconds(60))).isTrue();

		assertThat(since(before)).isEqualTo(Map.of("LeaseGrant", 1L, "Txn", 1L));
		assertThat(this.client.release(grant, Duration.ofSeconds(60))).isFalse();
		this.keys.forEach((key) -> assertThat(this.client.attempt(key)).isInstanceOf(AttemptOutcome.Busy.class));
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = { "EXCLUSIVE", "SHARED" })
	void forcedReleaseOfOneKeyIsReportedToTheHolderOfAllAtOnce(LockMode mode) {
		LeaseGrant grant = acquire(this.keys, mode);

		assertThat(EtcdTestClient.await(this.client.connection().forceRelease(this.keys.get(1), Duration.ZERO)))
			.isTrue();

		assertThat(this.client.lost()).containsExactly(grant.ownerId());
		assertThat(this.client.release(grant)).isFalse();
		assertThat(places(this.keys)).isEmpty();
	}

	/**
	 * More places than one level of a transaction has room for, with names that are long.
	 */
	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = { "EXCLUSIVE", "SHARED" })
	void hundredLongKeysAreTakenAndReleasedByOneTransactionEach(LockMode mode) {
		List<String> hundred = keys(100).stream().map((key) -> key + "\u00e4".repeat(250)).toList();
		RequestCounts before = RequestCounts.of(server);
		LeaseGrant grant = acquire(hundred, mode);
		assertThat(since(before)).isEqualTo(Map.of("Txn", 1L));
		assertThat(places(hundred)).hasSize(100);
		assertThat(this.client.renew(grant)).isInstanceOf(RenewalOutcome.Renewed.class);
		before = RequestCounts.of(server);

		assertThat(this.client.release(grant)).isTrue();

		assertThat(since(before)).isEqualTo(Map.of("Txn", 1L));
		assertThat(places(hundred)).isEmpty();
		LeaseGrant again = acquire(hundred, mode);
		assertThat(this.client.release(again, Duration.ofSeconds(60))).isTrue();
		assertThat(this.client.attempt(hundred.get(99))).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.client.attempt(hundred.get(0))).isInstanceOf(AttemptOutcome.Busy.class);
	}

	@Test
	void waiterForAHundredKeysIsServedByOneLookAndStoresItsTick() {
		List<String> hundred = keys(100);
		LeaseGrant first = this.client.acquire(hundred.get(0));
		LeaseGrant last = this.client.read(hundred.get(99));
		Waiting waiter = new Waiting(hundred, 2);
		RequestCounts before = RequestCounts.of(server);

		this.client.release(first);
		waiter.woken(1);
		assertThat(waiter.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(since(before)).isEqualTo(Map.of("DeleteRange", 1L, "Txn", 1L));
		this.client.release(last);
		waiter.woken(2);
		LeaseGrant grant = EtcdTestClient.granted(waiter.attempt());

		// The tick has a lease of its own.
		assertThat(since(before)).isEqualTo(Map.of("DeleteRange", 2L, "Txn", 3L, "LeaseGrant", 1L));
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.client.attempt(hundred.get(99), this.client.request(false, TICK)))
			.isEqualTo(new AttemptOutcome.Done(TICK));
		assertThat(this.client.attempt(hundred.get(98), this.client.request(false, TICK)))
			.isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void waiterWatchesOnlyTheKeysThatAreNotFreeAndIsWokenForEach() {
		LeaseGrant first = this.client.acquire(this.keys.get(0));
		LeaseGrant third = this.client.acquire(this.keys.get(2));
		Waiting waiter = new Waiting(this.keys, 2);

		this.client.release(third);
		waiter.woken(1);
		assertThat(waiter.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
		this.client.release(first);
		waiter.woken(2);

		this.client.release(EtcdTestClient.granted(waiter.attempt()));
	}

	/**
	 * Looks behind groups of which the answer to the new place does not show all members.
	 */
	@Test
	void writerBehindManyReadersOfTwoKeysIsWokenWhenTheLastOfEachHasGone() {
		List<LeaseGrant> first = IntStream.range(0, 12).mapToObj((i) -> this.client.read(this.keys.get(0))).toList();
		List<LeaseGrant> third = IntStream.range(0, 12).mapToObj((i) -> this.client.read(this.keys.get(2))).toList();
		Waiting writer = new Waiting(this.keys, 2);

		first.subList(1, 12).forEach(this.client::release);
		third.forEach(this.client::release);
		writer.woken(1);
		assertThat(writer.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
		this.client.release(first.get(0));
		writer.woken(2);

		this.client.release(EtcdTestClient.granted(writer.attempt()));
	}

	@Test
	void moreKeysThanOneTransactionHasRoomForAreRefused() {
		List<String> many = keys(101);
		RequestCounts before = RequestCounts.of(server);

		AttemptOutcome outcome = attempt(many, LockMode.EXCLUSIVE);

		assertThat(outcome).isInstanceOf(AttemptOutcome.Unavailable.class);
		assertThat(((AttemptOutcome.Unavailable) outcome).cause()).hasMessageContaining(many.get(0))
			.hasMessageContaining("100 more keys")
			.hasMessageContaining("lock.limits.max-keys");
		assertThat(since(before)).isEmpty();
	}

	private AttemptOutcome attempt(List<String> some, LockMode mode) {
		return this.client.attempt(new LockTarget(some, mode), this.client.request(mode, false));
	}

	private LeaseGrant acquire(List<String> some, LockMode mode) {
		return EtcdTestClient.granted(attempt(some, mode));
	}

	private static Map<String, Long> since(RequestCounts before) {
		return RequestCounts.of(server).since(before);
	}

	private static long watches() {
		return RequestCounts.of(server).of("Watch");
	}

	/**
	 * A waiting writer that attempts only if it is woken.
	 */
	private final class Waiting {

		private final AtomicInteger wakeUps = new AtomicInteger();

		private final Contender contender;

		Waiting(List<String> some, int busyKeys) {
			long watches = watches();
			this.contender = EtcdSeveralKeysRequestsIntegrationTests.this.client.connection()
				.contend(new LockTarget(some, LockMode.EXCLUSIVE), this.wakeUps::incrementAndGet);
			assertThat(attempt()).isInstanceOf(AttemptOutcome.Busy.class);
			// Watches for its own places and those before; the attempt does not wait for
			// them.
			Awaitility.await().until(() -> watches() == watches + 2L * busyKeys);
		}

		AttemptOutcome attempt() {
			LeaseRequest request = EtcdSeveralKeysRequestsIntegrationTests.this.client.request(true, TICK);
			return EtcdTestClient.await(this.contender.attempt(request));
		}

		void woken(int times) {
			Awaitility.await("wake-ups").untilAsserted(() -> assertThat(this.wakeUps).hasValue(times));
		}

	}

}
