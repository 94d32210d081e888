package io.distributedlock.it.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.backend.etcd.EtcdLockSettings;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the queue of a key with groups: what waiters learn of those before them, and
 * large groups. The sessions last longer than any test, so a waiter that grants a former
 * holder its time is never served.
 */
@RequiresEtcd
class EtcdGroupQueueIntegrationTests {

	private static final Duration LONG = Duration.ofHours(1);

	private static EtcdProcess server;

	private static Client connections;

	private final String key = EtcdTestClient.newKey();

	private final List<Contender> contenders = new ArrayList<>();

	private final List<EtcdTestClient> clients = new ArrayList<>();

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

	@AfterEach
	void close() {
		this.contenders.forEach(Contender::withdraw);
		this.clients.forEach(EtcdTestClient::close);
	}

	@Test
	void readerThatReleasesAndStopsDelaysNoWriter() {
		EtcdTestClient stopping = client();
		EtcdTestClient staying = client();
		LeaseGrant first = stopping.read(this.key);
		LeaseGrant last = staying.read(this.key);
		Waiting writer = new Waiting(LockMode.EXCLUSIVE, 0);

		stopping.release(first);
		stop(stopping);
		staying.release(last);

		writer.granted();
	}

	@Test
	void readerThatReleasesForACooldownAndStopsDelaysNoWriterBeyondIt() {
		EtcdTestClient stopping = client();
		LeaseGrant reader = stopping.read(this.key);
		Waiting writer = new Waiting(LockMode.EXCLUSIVE, 0);

		stopping.release(reader, Duration.ofSeconds(1));
		stop(stopping);
		assertThat(writer.attempt()).isInstanceOf(AttemptOutcome.Busy.class);

		writer.granted();
	}

	@Test
	void permitThatIsReleasedByAStoppingClientIsGrantedWithoutDelay() {
		EtcdTestClient stopping = client();
		LeaseGrant first = stopping.permit(this.key, 2);
		client().permit(this.key, 2);
		Waiting waiter = new Waiting(LockMode.PERMITS, 2);

		stopping.release(first);
		stop(stopping);

		waiter.granted();
	}

	@Test
	void sessionsOfTheWholeGroupAreAskedForAlthoughTheyAreManyAndHistoryIsCompacted() {
		List<Member> readers = members("r", 100);
		Waiting writer = new Waiting(LockMode.EXCLUSIVE, 0);

		readers.forEach(Member::leave);
		EtcdTestClient.await(connections.getKVClient().compact(readers.get(99).revision()));

		writer.granted();
	}

	@Test
	void oneVanishedSessionAmongManyIsNoticed() {
		List<Member> readers = members("r", 100);
		Waiting writer = new Waiting(LockMode.EXCLUSIVE, 0);

		// The sessions of the newest are asked for first.
		readers.get(3).vanish();
		readers.forEach(Member::leave);

		writer.woken();
		assertThat(writer.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
	}

	@Test
	void writerBehindMoreReadersThanALookShowsIsServedWhenAllHaveGone() {
		List<Member> readers = members("r", 1_200);
		Waiting writer = new Waiting(LockMode.EXCLUSIVE, 0);

		for (int i = 1_199; i > 0; i--) {
			readers.get(i).leave();
		}
		writer.woken();
		assertThat(writer.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
		readers.get(0).leave();

		writer.granted();
	}

	@Test
	void permitsAreCountedAlthoughThereAreMoreThanALookShows() {
		List<Member> permits = members("s", 1_200);
		EtcdTestClient other = client();
		assertThat(other.attempt(permit(), other.request(1_200, false))).isInstanceOf(AttemptOutcome.Busy.class);
		other.release(EtcdTestClient.granted(other.attempt(permit(), other.request(1_201, false))));
		Waiting waiter = new Waiting(LockMode.PERMITS, 1_150);

		for (int i = 0; i < 50; i++) {
			permits.get(i).leave();
		}
		assertThat(waiter.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
		permits.get(50).leave();

		waiter.granted();
	}

	@Test
	void waiterForFewerPermitsIsServedThoughLaterRequestsForMorePassIt() {
		EtcdTestClient client = client();
		LeaseGrant first = client.permit(this.key, 2);
		client.permit(this.key, 2);
		Waiting modest = new Waiting(LockMode.PERMITS, 2);
		client.permit(this.key, 4);

		client.release(first);

		modest.granted();
	}

	@Test
	void inspectionShowsHoldersInOrderAndNoWaiters() {
		EtcdTestClient client = client();
		LeaseGrant first = client.permit(this.key, 2);
		LeaseGrant second = client.permit(this.key, 2);
		new Waiting(LockMode.PERMITS, 2);
		LeaseGrant third = client.permit(this.key, 4);
		new Waiting(LockMode.EXCLUSIVE, 0);
		new Waiting(LockMode.PERMITS, 9);

		List<LockInfo> listed = EtcdTestClient.await(ListedLocks.all(client.connection()))
			.stream()
			.filter((lock) -> lock.key().equals(this.key))
			.toList();

		assertThat(listed).extracting(LockInfo::mode).containsOnly(LockMode.PERMITS);
		assertThat(listed).extracting(LockInfo::fencingToken)
			.containsExactly(first.token().last(), second.token().last(), third.token().last());
		assertThat(EtcdTestClient.await(client.connection().find(this.key))).map(LockInfo::fencingToken)
			.contains(first.token().last());
	}

	@Test
	void renewalOfAReaderReportsAWriterThatWaits() {
		EtcdTestClient client = client();
		LeaseGrant reader = client.read(this.key);
		LeaseGrant elsewhere = client.read(EtcdTestClient.newKey());
		LeaseGrant writer = client.acquire(EtcdTestClient.newKey());
		List<Renewal> all = Stream.of(reader, elsewhere, writer)
			.map((grant) -> new Renewal(grant, EtcdTestClient.TTL))
			.toList();
		EtcdTestClient.await(client.connection().renew(all));
		assertThat(client.contended()).isEmpty();
		new Waiting(LockMode.EXCLUSIVE, 0);

		EtcdTestClient.await(client.connection().renew(all));

		assertThat(client.contended()).containsExactly(reader.ownerId());
	}

	@Test
	void waiterThatAForcedReleaseTakesAwayEntersTheQueueAnew() {
		EtcdTestClient client = client();
		client.permit(this.key, 1);
		Waiting waiter = new Waiting(LockMode.PERMITS, 1);

		assertThat(EtcdTestClient.await(client.connection().forceRelease(this.key, Duration.ZERO))).isTrue();

		waiter.granted();
	}

	private LockTarget permit() {
		return LockTarget.of(this.key, LockMode.PERMITS);
	}

	private EtcdTestClient client() {
		EtcdTestClient client = new EtcdTestClient(connections, EtcdTestClient.settings(LONG));
		this.clients.add(client);
		return client;
	}

	private void stop(EtcdTestClient client) {
		this.clients.remove(client);
		client.close();
	}

	/**
	 * Put members of a group into the queue, each with a session of its own.
	 */
	private List<Member> members(String prefix, int number) {
		List<Member> members = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			members.add(new Member(prefix));
		}
		return members;
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	/**
	 * A member of a group in a JVM of its own.
	 */
	private final class Member {

		private final ByteSequence place;

		private final long lease = EtcdTestClient.await(connections.getLeaseClient().grant(LONG.toSeconds())).getID();

		private long revision;

		Member(String prefix) {
			EtcdLockSettings settings = EtcdTestClient.settings(LONG);
			this.place = bytes(settings.namespace() + settings.keyPrefix() + EtcdGroupQueueIntegrationTests.this.key
					+ "/w/" + prefix + OwnerId.random().value());
			PutOption attached = PutOption.builder().withLeaseId(this.lease).build();
			EtcdTestClient.await(connections.getKVClient()
				.put(bytes(settings.namespace() + "/s/" + Long.toHexString(this.lease)), bytes("session"), attached));
			EtcdTestClient.await(connections.getKVClient()
				.put(this.place, bytes("1|" + LONG.toSeconds() + "|1700000000000|9999|member"), attached));
		}

		void leave() {
			this.revision = EtcdTestClient.await(connections.getKVClient().delete(this.place, DeleteOption.DEFAULT))
				.getHeader()
				.getRevision();
		}

		void vanish() {
			EtcdTestClient.await(connections.getLeaseClient().revoke(this.lease));
		}

		long revision() {
			return this.revision;
		}

	}

	/**
	 * A waiter in a JVM of its own that does not poll.
	 */
	private final class Waiting {

		private final EtcdTestClient client = client();

		private final int permits;

		private final AtomicInteger wakeUps = new AtomicInteger();

		private final Contender contender;

		private int seen;

		Waiting(LockMode mode, int permits) {
			this.permits = permits;
			this.contender = this.client.connection()
				.contend(LockTarget.of(EtcdGroupQueueIntegrationTests.this.key, mode), this.wakeUps::incrementAndGet);
			EtcdGroupQueueIntegrationTests.this.contenders.add(this.contender);
			assertThat(attempt()).isInstanceOf(AttemptOutcome.Busy.class);
		}

		AttemptOutcome attempt() {
			this.seen = this.wakeUps.get();
			return EtcdTestClient.await(this.contender.attempt(this.client.request(this.permits, true)));
		}

		void woken() {
			Awaitility.await("a wake-up").until(() -> this.wakeUps.get() > this.seen);
		}

		/**
		 * Attempt at each wake-up until the lock is granted.
		 */
		void granted() {
			AttemptOutcome outcome;
			do {
				woken();
				outcome = attempt();
			}
			while (outcome instanceof AttemptOutcome.Busy);
			this.client.release(EtcdTestClient.granted(outcome));
		}

	}

}
