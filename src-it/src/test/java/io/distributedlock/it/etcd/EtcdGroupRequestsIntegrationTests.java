package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

/**
 * Tests for the requests that readers, permits and their waiters make, as the server
 * counts them. The server has no other clients.
 */
@RequiresEtcd
class EtcdGroupRequestsIntegrationTests {

	/**
	 * More than the answer to a new entry shows.
	 */
	private static final int MANY = 12;

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

	@AfterEach
	void close() {
		this.client.close();
	}

	@Test
	void readerTakesOneTransactionAndItsReleaseOneDeletionHoweverManyOthersThereAre() {
		readers(MANY);
		RequestCounts before = RequestCounts.of(server);

		for (int i = 0; i < 20; i++) {
			this.client.release(this.client.read(this.key));
		}

		assertThat(since(before)).isEqualTo(Map.of("Txn", 20L, "DeleteRange", 20L));
	}

	@Test
	void permitTakesOneTransactionAndItsReleaseOneDeletionHoweverManyOthersThereAre() {
		permits(MANY, 50);
		RequestCounts before = RequestCounts.of(server);

		for (int i = 0; i < 20; i++) {
			this.client.release(this.client.permit(this.key, 50));
		}

		assertThat(since(before)).isEqualTo(Map.of("Txn", 20L, "DeleteRange", 20L));
	}

	@Test
	void tryThatFindsAWriterOrNoPermitIsATransactionAndAnotherThatLeavesNothing() {
		LeaseGrant writer = this.client.acquire(this.key);
		RequestCounts before = RequestCounts.of(server);
		assertBusyTry(LockMode.SHARED, 0);
		assertBusyTry(LockMode.PERMITS, MANY);
		assertThat(since(before)).isEqualTo(Map.of("Txn", 4L));
		assertThat(EtcdTestClient.places(connections, this.key)).hasSize(1);
		this.client.release(writer);
		permits(MANY, MANY);
		before = RequestCounts.of(server);

		assertBusyTry(LockMode.PERMITS, MANY);
		assertBusyTry(LockMode.PERMITS, 1);

		assertThat(since(before)).isEqualTo(Map.of("Txn", 4L));
		assertThat(EtcdTestClient.places(connections, this.key)).hasSize(MANY);
	}

	@Test
	void writerBehindAFewReadersIsServedByOneLookWhenTheLastOfThemHasGone() {
		assertWriterIsServedByOneLook(readers(5), 1);
	}

	/**
	 * The answer that shows the new place does not show all readers, and the next look is
	 * for one place.
	 */
	@Test
	void writerBehindManyReadersIsServedByOneLookWhenTheLastOfThemHasGone() {
		assertWriterIsServedByOneLook(readers(MANY), 3);
	}

	private void assertWriterIsServedByOneLook(List<LeaseGrant> readers, long looks) {
		RequestCounts before = RequestCounts.of(server);
		Waiting writer = new Waiting(LockMode.EXCLUSIVE, 0);
		assertThat(since(before).get("Txn")).isEqualTo(looks);
		before = RequestCounts.of(server);

		// The one before the writer goes first.
		for (int i = readers.size() - 1; i > 0; i--) {
			this.client.release(readers.get(i));
		}
		this.client.release(readers.get(0));
		LeaseGrant grant = writer.granted();

		assertThat(since(before)).isEqualTo(Map.of("Txn", 1L, "DeleteRange", (long) readers.size()));
		this.client.release(grant);
	}

	@Test
	void readerBehindAWriterIsServedByOneLook() {
		LeaseGrant writer = this.client.acquire(this.key);
		Waiting reader = new Waiting(LockMode.SHARED, 0);
		RequestCounts before = RequestCounts.of(server);

		this.client.release(writer);
		LeaseGrant grant = reader.granted();

		assertThat(since(before)).isEqualTo(Map.of("Txn", 1L, "DeleteRange", 1L));
		this.client.release(grant);
	}

	@Test
	void waiterForOneOfManyPermitsIsServedByOneLook() {
		List<LeaseGrant> holders = permits(MANY, MANY);
		Waiting waiter = new Waiting(LockMode.PERMITS, MANY);
		RequestCounts before = RequestCounts.of(server);

		this.client.release(holders.get(7));
		LeaseGrant grant = waiter.granted();

		assertThat(since(before)).isEqualTo(Map.of("Txn", 1L, "DeleteRange", 1L));
		this.client.release(grant);
	}

	@Test
	void waiterForAPermitIsNotWokenForThoseBeforeIt() {
		List<LeaseGrant> holders = permits(3, 3);
		Waiting first = new Waiting(LockMode.PERMITS, 3);
		Waiting second = new Waiting(LockMode.PERMITS, 3);

		this.client.release(holders.get(1));
		this.client.release(first.granted());

		this.client.release(second.granted());
	}

	/**
	 * One look at each reader, and one for each key at its writers.
	 */
	@Test
	void hundredReadersAreConfirmedByTwoTransactions() {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			renewals.add(new Renewal(this.client.read(EtcdTestClient.newKey()), EtcdTestClient.TTL));
		}
		RequestCounts before = RequestCounts.of(server);

		List<RenewalOutcome> outcomes = EtcdTestClient.await(this.client.connection().renew(renewals));

		assertThat(outcomes).hasSize(100).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(since(before)).isEqualTo(Map.of("Txn", 2L));
	}

	@Test
	void readersOfOneKeyAreConfirmedByOneTransaction() {
		List<Renewal> renewals = new ArrayList<>();
		readers(99).forEach((grant) -> renewals.add(new Renewal(grant, EtcdTestClient.TTL)));
		RequestCounts before = RequestCounts.of(server);

		EtcdTestClient.await(this.client.connection().renew(renewals));

		assertThat(since(before)).isEqualTo(Map.of("Txn", 1L));
	}

	@Test
	void cooldownOfAMemberIsALeaseAndATransaction() {
		LeaseGrant reader = this.client.read(this.key);
		RequestCounts before = RequestCounts.of(server);

		assertThat(this.client.release(reader, Duration.ofSeconds(60))).isTrue();

		assertThat(since(before)).isEqualTo(Map.of("LeaseGrant", 1L, "Txn", 1L));
	}

	@Test
	void forcedReleaseOfAGroupIsALookAndATransaction() {
		List<LeaseGrant> members = permits(MANY, MANY);
		RequestCounts before = RequestCounts.of(server);

		assertThat(EtcdTestClient.await(this.client.connection().forceRelease(this.key, Duration.ZERO))).isTrue();

		assertThat(since(before)).isEqualTo(Map.of("Txn", 2L));
		assertThat(EtcdTestClient.places(connections, this.key)).isEmpty();
		assertThat(this.client.lost())
			.containsExactlyInAnyOrderElementsOf(members.stream().map(LeaseGrant::ownerId).toList());
	}

	private List<LeaseGrant> readers(int number) {
		List<LeaseGrant> readers = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			readers.add(this.client.read(this.key));
		}
		return readers;
	}

	private List<LeaseGrant> permits(int number, int allowed) {
		List<LeaseGrant> permits = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			permits.add(this.client.permit(this.key, allowed));
		}
		return permits;
	}

	private void assertBusyTry(LockMode mode, int permits) {
		assertThat(this.client.attempt(LockTarget.of(this.key, mode), this.client.request(permits, false)))
			.isInstanceOf(AttemptOutcome.Busy.class);
	}

	private static Map<String, Long> since(RequestCounts before) {
		return RequestCounts.of(server).since(before);
	}

	private static long watches() {
		return RequestCounts.of(server).of("Watch");
	}

	/**
	 * A waiter that attempts only if it is woken.
	 */
	private final class Waiting {

		private final AtomicInteger wakeUps = new AtomicInteger();

		private final LeaseRequest request;

		private final Contender contender;

		Waiting(LockMode mode, int permits) {
			long watches = watches();
			this.request = EtcdGroupRequestsIntegrationTests.this.client.request(permits, true);
			this.contender = EtcdGroupRequestsIntegrationTests.this.client.connection()
				.contend(LockTarget.of(EtcdGroupRequestsIntegrationTests.this.key, mode),
						this.wakeUps::incrementAndGet);
			assertThat(EtcdTestClient.await(this.contender.attempt(this.request)))
				.isInstanceOf(AttemptOutcome.Busy.class);
			// Watches for its own place and those before; the attempt does not wait for
			// them.
			Awaitility.await().until(() -> watches() == watches + 2);
		}

		/**
		 * Attempt again after the wake-up, which must be the first one. A watch shows
		 * events in their order, so an earlier one would have come before.
		 */
		LeaseGrant granted() {
			Awaitility.await().untilAtomic(this.wakeUps, equalTo(1));
			return EtcdTestClient.granted(EtcdTestClient.await(this.contender
				.attempt(EtcdGroupRequestsIntegrationTests.this.client.request(this.request.permits(), true))));
		}

	}

}
