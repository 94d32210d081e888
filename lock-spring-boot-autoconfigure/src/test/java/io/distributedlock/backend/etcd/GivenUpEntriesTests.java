package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link GivenUpEntries}, on a clock that only the test moves.
 */
class GivenUpEntriesTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final EtcdKeys keys = new EtcdKeys("", new KeyPrefix(""));

	private final EtcdLockQueue queue = mock(EtcdLockQueue.class);

	private final GivenUpEntries givenUp = new GivenUpEntries(this.queue, this.clock);

	private final LeaseRequest request = new LeaseRequest(OwnerId.random(), TTL, 1, null, false, TTL, Duration.ZERO);

	private final EtcdSession session = session(1);

	private final EtcdQueueEntry entry = entryThatMayComeBack(this.session);

	@BeforeEach
	void answerNothing() {
		given(this.queue.deleteAll(any())).willReturn(new CompletableFuture<>());
	}

	@Test
	void entryThatMayComeBackIsDeletedWhenEtcdAnswersAgain() {
		this.givenUp.forget(this.entry, false);

		this.givenUp.deleteAll();

		verify(this.queue).deleteAll(List.of(this.entry.name()));
		assertThat(this.givenUp.size()).isOne();
	}

	/**
	 * The attempt puts an entry of the same name there in its next session, and may hold
	 * the lock with it.
	 */
	@Test
	void entryOfALostSessionIsNotDeletedByItsName() {
		this.givenUp.forget(this.entry, false);
		this.session.lose("etcd no longer knows it");

		this.givenUp.deleteAll();

		verify(this.queue, never()).deleteAll(any());
		assertThat(this.givenUp.size()).isZero();
	}

	@Test
	void entryOfTheSameNameInTheNextSessionIsDeletedIfItIsGivenUpToo() {
		this.givenUp.forget(this.entry, false);
		this.session.lose("etcd no longer knows it");
		EtcdQueueEntry next = entryThatMayComeBack(session(2));

		this.givenUp.drop(next);

		verify(this.queue).deleteAll(List.of(next.name()));
		assertThat(this.givenUp.size()).isOne();
	}

	private EtcdSession session(long leaseId) {
		return new EtcdSession(new EtcdLink.LeaseAnswer(leaseId, TTL.toSeconds()), ClockReading.now(this.clock),
				mock(EtcdRequests.class), this.keys, new EtcdLockSettings("", "", "test", TTL, TTL, TTL), this.clock,
				(owner) -> {
				}, (lost) -> {
				});
	}

	private EtcdQueueEntry entryThatMayComeBack(EtcdSession of) {
		EtcdQueueEntry created = new EtcdQueueEntry(this.keys.places(LockTarget.exclusive("k"), this.request.ownerId()),
				LockTarget.exclusive("k"), this.request, of, () -> {
				});
		of.entries().await(created);
		created.ask();
		created.ask();
		return created;
	}

}
