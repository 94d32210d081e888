package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.grpc.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Answers;

import io.distributedlock.backend.call.RepeatedRequestException;
import io.distributedlock.backend.etcd.EtcdRequests.CountedAnswer;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link EtcdRequests}, on a clock that only the test moves.
 */
class EtcdRequestsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final EtcdLink link = mock(EtcdLink.class);

	private final EtcdLinks links = new EtcdLinks(() -> this.link, false, this.clock, TIMEOUT);

	private final EtcdRequests requests = new EtcdRequests(this.links, this.clock, TIMEOUT, new EtcdRefusals(null,
			new EtcdLockSettings("", "", "test", TIMEOUT, Duration.ofSeconds(10), Duration.ofHours(24))));

	private final AtomicInteger recoveries = new AtomicInteger();

	private final CompletableFuture<TxnResponse> first = new CompletableFuture<>();

	private final CompletableFuture<TxnResponse> second = new CompletableFuture<>();

	@BeforeEach
	void countRecoveries() {
		this.links.onRecovery(this.recoveries::incrementAndGet);
		given(this.link.commit(any())).willReturn(this.first, this.second);
	}

	@Test
	void answerToASingleRequestIsCertain() {
		CompletableFuture<CountedAnswer> answer = commit();

		this.first.complete(answer(false));

		assertThat(answer.join().hasSucceeded("k")).isFalse();
		assertThat(answer.join().isFailed()).isTrue();
	}

	@Test
	void repeatedRequestThatFindsNothingLeavesTheOutcomeUnknown() {
		CompletableFuture<CountedAnswer> answer = commit();
		this.clock.advance(TIMEOUT.dividedBy(3));

		this.second.complete(answer(false));

		assertThat(answer.join().isFailed()).isFalse();
		assertThatExceptionOfType(RepeatedRequestException.class).isThrownBy(() -> answer.join().hasSucceeded("k"))
			.withMessageContaining("'k'");
	}

	@Test
	void repeatedRequestThatSucceedsIsCertain() {
		CompletableFuture<CountedAnswer> answer = commit();
		this.first.completeExceptionally(Status.UNAVAILABLE.asRuntimeException());
		this.clock.advance(TIMEOUT.dividedBy(3));

		this.second.complete(answer(true));

		assertThat(answer.join().hasSucceeded("k")).isTrue();
	}

	@Test
	void answerAfterAFaultThatHasPassedIsARecoveryOnce() {
		commit();
		this.first.completeExceptionally(Status.UNAVAILABLE.asRuntimeException());
		this.clock.advance(TIMEOUT.dividedBy(3));
		assertThat(this.recoveries).hasValue(0);

		this.second.complete(answer(true));
		commit();

		assertThat(this.recoveries).hasValue(1);
	}

	@Test
	void deletionOfAnotherRevisionIsNoSuccess() {
		given(this.link.delete(any())).willReturn(CompletableFuture.completedFuture(8L));

		assertThat(delete(7).join().hasSucceeded("k")).isFalse();
		assertThat(delete(8).join().hasSucceeded("k")).isTrue();
	}

	@Test
	void repeatedDeletionThatFindsNothingLeavesTheOutcomeUnknown() {
		given(this.link.delete(any())).willReturn(new CompletableFuture<>(), CompletableFuture.completedFuture(0L));
		CompletableFuture<CountedAnswer> answer = delete(7);

		this.clock.advance(TIMEOUT.dividedBy(3));

		assertThatExceptionOfType(RepeatedRequestException.class).isThrownBy(() -> answer.join().hasSucceeded("k"));
	}

	@Test
	void unansweredCallIsRepeatedTwiceAndEndsInTimeWithOneTimer() {
		CompletableFuture<CountedAnswer> answer = commit();
		assertThat(this.clock.pending()).isEqualTo(1);

		this.clock.advance(TIMEOUT.dividedBy(3));
		assertThat(this.clock.pending()).isEqualTo(1);
		this.clock.advance(TIMEOUT.dividedBy(3));
		verify(this.link, times(3)).commit(any());
		assertThat(answer).isNotDone();
		this.clock.advance(TIMEOUT.dividedBy(3));

		assertThat(answer).isCompletedExceptionally();
		assertThat(this.clock.pending()).isZero();
	}

	@Test
	void revocationOfALeaseThatHasEndedIsNoFault() {
		given(this.link.revoke(7)).willReturn(CompletableFuture.failedFuture(
				Status.NOT_FOUND.withDescription("etcdserver: requested lease not found").asRuntimeException()));

		assertThat(this.requests.revoke(7)).isCompleted();
	}

	private CompletableFuture<CountedAnswer> commit() {
		return this.requests.commitCounted(this.requests.defaultEnd(), EtcdTxn.of(List.of()));
	}

	private CompletableFuture<CountedAnswer> delete(long revision) {
		return this.requests.deleteCounted(this.requests.defaultEnd(), ByteSequence.EMPTY, revision);
	}

	private static TxnResponse answer(boolean succeeded) {
		TxnResponse answer = mock(TxnResponse.class, Answers.RETURNS_DEEP_STUBS);
		given(answer.isSucceeded()).willReturn(succeeded);
		return answer;
	}

}
