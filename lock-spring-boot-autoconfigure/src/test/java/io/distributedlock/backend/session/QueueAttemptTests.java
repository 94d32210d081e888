package io.distributedlock.backend.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.session.TestContender.TestAttempt;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueAttempt}, on a clock that only the test moves.
 */
class QueueAttemptTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final AttemptOutcome.Busy BUSY = new AttemptOutcome.Busy(null, Duration.ofSeconds(1));

	private final VirtualLockClock clock = new VirtualLockClock();

	private final TestContender contender = new TestContender(this.clock);

	private final TestEntry entry = new TestEntry(OwnerId.random(), new ArrayList<>());

	private final CompletableFuture<String> answer = new CompletableFuture<>();

	private final List<Object> steps = new ArrayList<>();

	private final TestAttempt attempt = attempt(true);

	private final CompletableFuture<AttemptOutcome> outcome = this.attempt.start();

	@Test
	void answerLeadsToTheNextStepAndFaultToTheOther() {
		RuntimeException fault = new IllegalStateException("fault");

		this.attempt.step(this.entry, CompletableFuture.completedStage("answer"), this.steps::add, this.steps::add);
		this.attempt.step(this.entry, CompletableFuture.<String>failedStage(fault), this.steps::add, this.steps::add);

		assertThat(this.steps).containsExactly("answer", fault);
		assertThat(this.outcome).isNotDone();
	}

	@Test
	void attemptThatIsNotAnsweredInTimeIsUnavailable() {
		this.clock.advance(TIMEOUT);

		assertThat(unavailable().sent()).isFalse();
		assertThat(unavailable().cause()).hasMessage("no answer");
	}

	@Test
	void attemptThatHasEnteredTheQueueIsToBeAbandoned() {
		this.attempt.entered = true;

		this.clock.advance(TIMEOUT);

		assertThat(unavailable().sent()).isTrue();
	}

	@Test
	void stepThatThrowsMakesTheStoreUnavailable() {
		RuntimeException fault = new IllegalStateException("fault");

		this.attempt.step(this.entry, this.answer, (shown) -> {
			throw fault;
		}, this.steps::add);
		this.answer.complete("answer");

		assertThat(unavailable().cause()).isSameAs(fault);
	}

	@Test
	void ownEntryThatIsAnsweredTooLateIsGivenUp() {
		this.attempt.entered = true;
		this.attempt.step(this.entry, this.answer, this.steps::add, this.steps::add);
		this.clock.advance(TIMEOUT);

		this.answer.complete("answer");

		assertThat(this.steps).isEmpty();
		assertThat(this.contender.dropped).containsExactly(this.entry);
	}

	@Test
	void entryOfAnEarlierAttemptStaysInTheQueueAfterALateAnswer() {
		this.contender.keep(this.entry, () -> {
		});
		this.attempt.step(this.entry, this.answer, this.steps::add, this.steps::add);
		this.clock.advance(TIMEOUT);

		this.answer.complete("answer");

		assertThat(this.contender.kept()).isSameAs(this.entry);
		assertThat(this.contender.dropped).isEmpty();
	}

	@Test
	void busyAttemptThatWaitsKeepsItsEntry() {
		this.attempt.busy(this.entry, BUSY, () -> this.steps.add("waits"));

		assertThat(this.outcome).isCompletedWithValue(BUSY);
		assertThat(this.contender.kept()).isSameAs(this.entry);
		assertThat(this.steps).containsExactly("waits");
	}

	@Test
	void busyAttemptThatDoesNotWaitEndsWhenItsEntryIsGone() {
		TestAttempt once = attempt(false);
		CompletableFuture<AttemptOutcome> end = once.start();

		once.busy(this.entry, BUSY, () -> this.steps.add("waits"));

		assertThat(end).isNotDone();
		once.gone.complete(this.entry);
		assertThat(end).isCompletedWithValue(BUSY);
		assertThat(this.contender.kept()).isNull();
		assertThat(this.steps).isEmpty();
	}

	@Test
	void busyAttemptOfAWithdrawnContenderEndsWhenItsEntryIsGone() {
		this.contender.withdraw();

		this.attempt.busy(this.entry, BUSY, () -> this.steps.add("waits"));

		assertThat(this.outcome).isNotDone();
		this.attempt.gone.complete(this.entry);
		assertThat(this.outcome).isCompletedWithValue(BUSY);
		assertThat(this.contender.kept()).isNull();
	}

	@Test
	void ownEntryThatIsKeptTooLateIsGivenUp() {
		this.attempt.entered = true;
		this.clock.advance(TIMEOUT);

		this.attempt.busy(this.entry, BUSY, () -> this.steps.add("waits"));

		assertThat(this.contender.kept()).isNull();
		assertThat(this.contender.stopped).containsExactly(this.entry);
		assertThat(this.contender.dropped).containsExactly(this.entry);
	}

	@Test
	void grantEndsTheWaitAndCountsFromTheSending() {
		this.contender.keep(this.entry, () -> {
		});
		long sentAt = this.clock.nanoTime();
		this.clock.advance(Duration.ofSeconds(1));

		this.attempt.grant(this.entry, 3, sentAt, (now) -> TTL.toNanos());

		assertThat(this.outcome).isCompletedWithValueMatching((end) -> end instanceof AttemptOutcome.Granted granted
				&& granted.grant().ownerId().equals(this.entry.ownerId())
				&& granted.grant().token().equals(new TokenRange(SessionEntry.firstToken(7), 3))
				&& granted.grant().validUntil() == LockClock.validUntil(sentAt, TTL));
		assertThat(this.contender.kept()).isNull();
		assertThat(this.contender.dropped).isEmpty();
	}

	@Test
	void grantThatComesTooLateIsGivenUp() {
		this.clock.advance(TIMEOUT);

		this.attempt.grant(this.entry, 1, this.clock.nanoTime(), (now) -> TTL.toNanos());

		assertThat(this.outcome).isCompletedWithValueMatching(AttemptOutcome.Unavailable.class::isInstance);
		assertThat(this.contender.dropped).containsExactly(this.entry);
	}

	private AttemptOutcome.Unavailable unavailable() {
		return (AttemptOutcome.Unavailable) this.outcome.join();
	}

	private TestAttempt attempt(boolean waiting) {
		return this.contender
			.prepare(new LeaseRequest(this.entry.ownerId(), TTL, 5, null, waiting, TIMEOUT, Duration.ZERO));
	}

}
