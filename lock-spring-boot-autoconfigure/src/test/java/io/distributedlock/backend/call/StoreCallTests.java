package io.distributedlock.backend.call;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreCall}.
 */
class StoreCallTests {

	private static final Duration TIMEOUT = Duration.ofMillis(100);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final StoreCall<String> call = new StoreCall<>("The store", TIMEOUT, this.clock);

	private final List<String> events = new ArrayList<>();

	@Test
	void callIsQueuedUntilItIsSentAndEndsByItsAnswer() {
		assertThat(this.call.isQueued()).isTrue();

		assertThat(this.call.send()).isTrue();
		assertThat(this.call.isQueued()).isFalse();
		assertThat(this.call.isEnded()).isFalse();

		assertThat(this.call.complete("answer")).isTrue();
		assertThat(this.call.isEnded()).isTrue();
		assertThat(this.call.result()).isCompletedWithValue("answer");
		assertThat(this.call.wasSent()).isTrue();
	}

	@Test
	void endedCallIsNotSentAndKeepsItsOutcome() {
		this.call.fail(new IllegalStateException("first"));

		assertThat(this.call.send()).isFalse();
		assertThat(this.call.complete("late")).isFalse();
		assertThat(this.call.fail(new IllegalStateException("second"))).isFalse();
		assertThat(this.call.wasSent()).isFalse();
		assertThat(this.call.result()).isCompletedExceptionally();
		assertThat(fault()).hasMessage("first");
	}

	@Test
	void callIsSentOnce() {
		assertThat(this.call.send()).isTrue();
		assertThat(this.call.send()).isFalse();
	}

	@Test
	void onlyAQueuedCallIsWithdrawn() {
		StoreCall<String> sent = new StoreCall<>("The store", TIMEOUT, this.clock);
		sent.send();

		assertThat(sent.withdraw(new IllegalStateException())).isFalse();
		assertThat(sent.isEnded()).isFalse();

		assertThat(this.call.withdraw(new IllegalStateException())).isTrue();
		assertThat(this.call.isQueued()).isFalse();
		assertThat(this.call.send()).isFalse();
		assertThat(this.call.wasSent()).isFalse();
	}

	@Test
	void timeoutOfAQueuedCallSaysThatNothingWasSent() {
		this.call.startTimer();

		this.clock.advance(TIMEOUT.minusNanos(1));
		assertThat(this.call.isQueued()).isTrue();

		this.clock.advance(Duration.ofNanos(1));
		assertThat(this.call.send()).isFalse();
		assertThat(fault()).isInstanceOf(NotSentException.class)
			.hasMessage("The store gave no connection within 100 ms");
	}

	@Test
	void timeoutOfASentCallSaysThatThereWasNoAnswer() {
		this.call.startTimer();
		this.call.send();

		this.clock.advance(TIMEOUT);

		assertThat(this.call.wasSent()).isTrue();
		assertThat(fault()).isInstanceOf(NoAnswerException.class).hasMessage("The store gave no answer within 100 ms");
	}

	@Test
	void taskRunsAfterATimeoutOnly() {
		StoreCall<String> answered = new StoreCall<>("The store", TIMEOUT, this.clock);
		answered.onTimeout(() -> this.events.add("answered")).startTimer();
		answered.send();
		answered.complete("answer");
		this.call.onTimeout(() -> this.events.add(this.call.isEnded() ? "ended" : "open")).startTimer();

		this.clock.advance(TIMEOUT);

		assertThat(this.events).containsExactly("ended");
	}

	@Test
	void taskThatComesTooLateRunsAtOnce() {
		this.call.startTimer();
		this.clock.advance(TIMEOUT);

		this.call.onTimeout(() -> this.events.add("late"));

		assertThat(this.events).containsExactly("late");
	}

	@Test
	void deadlineCountsDownToZero() {
		this.clock.advance(TIMEOUT.minusNanos(1));
		assertThat(this.call.deadline().isPassed()).isFalse();
		assertThat(this.call.deadline().left()).isEqualTo(Duration.ofNanos(1));

		this.clock.advance(Duration.ofNanos(2));
		assertThat(this.call.deadline().isPassed()).isTrue();
		assertThat(this.call.deadline().left()).isZero();
	}

	private @Nullable Throwable fault() {
		return this.call.result().<@Nullable Throwable>handle((answer, fault) -> fault).getNow(null);
	}

}
