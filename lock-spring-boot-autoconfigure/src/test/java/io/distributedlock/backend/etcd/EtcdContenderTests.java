package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.etcd.jetcd.kv.TxnResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for an attempt whose entry is taken away before it is granted the lock.
 */
class EtcdContenderTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final LockTarget TARGET = LockTarget.exclusive("k");

	private final VirtualLockClock clock = new VirtualLockClock();

	private final EtcdKeys keys = new EtcdKeys("", new KeyPrefix(""));

	private final LeaseRequest request = new LeaseRequest(OwnerId.random(), TTL, 1, Instant.EPOCH, false, TTL,
			Duration.ZERO);

	private final EtcdSession session = new EtcdSession(new EtcdLink.LeaseAnswer(1, TTL.toSeconds()),
			ClockReading.now(this.clock), mock(EtcdRequests.class), this.keys,
			new EtcdLockSettings("", "", "test", TTL, TTL, TTL), this.clock, (owner) -> {
			}, (lost) -> {
			});

	private final EtcdRequests requests = mock(EtcdRequests.class);

	private final EtcdLockQueue queue = mock(EtcdLockQueue.class);

	private final EtcdQueueLooks looks = mock(EtcdQueueLooks.class);

	private final EtcdSessions sessions = mock(EtcdSessions.class);

	private final EtcdTicks ticks = mock(EtcdTicks.class);

	private final EtcdContender contender = new EtcdContender(TARGET, () -> {
	}, new EtcdAttempt.Support(this.requests, this.queue, this.looks, this.sessions,
			new GivenUpEntries(this.queue, this.clock), this.ticks, this.clock),
			new PredecessorWatches(List.of(new PredecessorWatch(mock(EtcdRequests.class), this.clock, () -> {
			}))));

	@BeforeEach
	void takeTheEntryAwayBeforeTheTickIsWritten() {
		given(this.sessions.open()).willReturn(CompletableFuture.completedStage(this.session));
		given(this.queue.entry(any(), any(), any(), any()))
			.willAnswer((call) -> new EtcdQueueEntry(this.keys.places(TARGET, this.request.ownerId()), TARGET,
					this.request, this.session, () -> {
					}));
		given(this.looks.look(anyLong(), any(), anyInt(), any()))
			.willReturn(CompletableFuture.completedStage(shown(0)));
		given(this.queue.deleteAll(any())).willReturn(new CompletableFuture<>());
		given(this.ticks.write(anyLong(), any(), any(), any())).willReturn(CompletableFuture.completedStage(false),
				CompletableFuture.completedStage(true));
	}

	@Test
	void entryThatWasAskedForOnceIsTakenAnew() {
		takeByRequests(1);

		assertThat(this.contender.attempt(this.request).toCompletableFuture())
			.isCompletedWithValueMatching((outcome) -> outcome instanceof AttemptOutcome.Granted);
		verify(this.requests, times(2)).call(anyLong(), any());
	}

	/**
	 * Another entry of the attempt would have the same name, by which the first one is
	 * deleted until it can't come back.
	 */
	@Test
	void entryThatMayComeBackIsNotTakenAnewByTheSameAttempt() {
		takeByRequests(2);

		assertThat(this.contender.attempt(this.request).toCompletableFuture()).isCompletedWithValueMatching(
				(outcome) -> outcome instanceof AttemptOutcome.Unavailable unavailable && unavailable.sent());
		verify(this.requests).call(anyLong(), any());
	}

	@Test
	void entryOfASessionThatIsLostBeforeTheGrantIsNotTakenAnewByTheSameAttempt() {
		takeByRequests(1);
		given(this.ticks.write(anyLong(), any(), any(), any())).willAnswer((call) -> {
			this.session.lose("etcd no longer knows it");
			return CompletableFuture.completedStage(true);
		});

		assertThat(this.contender.attempt(this.request).toCompletableFuture()).isCompletedWithValueMatching(
				(outcome) -> outcome instanceof AttemptOutcome.Unavailable unavailable && unavailable.sent());
		verify(this.requests).call(anyLong(), any());
	}

	private void takeByRequests(int sends) {
		EtcdLink link = mock(EtcdLink.class);
		given(link.commit(any())).willReturn(CompletableFuture.completedStage(mock(TxnResponse.class)));
		given(this.requests.<TxnResponse>call(anyLong(), any())).willAnswer((call) -> {
			Function<EtcdLink, CompletionStage<TxnResponse>> request = call.getArgument(1);
			CompletionStage<TxnResponse> answer = request.apply(link);
			for (int i = 1; i < sends; i++) {
				answer = request.apply(link);
			}
			return answer.toCompletableFuture();
		});
		given(this.queue.revisionOfTaken(any())).willReturn(5L);
		given(this.queue.taken(any(), anyInt(), any())).willReturn(shown(5));
	}

	private static EtcdLook shown(long own) {
		return new EtcdLook(List.of(new EtcdQueueSnapshot(7, own, EtcdQueueAhead.NOTHING, null, null, Map.of())));
	}

}
