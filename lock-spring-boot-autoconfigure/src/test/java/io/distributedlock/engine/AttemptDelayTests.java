package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.DecoratedClock;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AttemptDelay}.
 */
class AttemptDelayTests {

	private static final Duration LENGTH = Duration.ofMillis(50);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final AtomicInteger ended = new AtomicInteger();

	private final AttemptDelay delay = new AttemptDelay(this.ended::incrementAndGet);

	@Test
	void delayEndsAfterItsLength() {
		this.delay.begin(this.clock, LENGTH, false);

		this.clock.advance(LENGTH.minusNanos(1));
		assertThat(this.delay.isUnderWay()).isTrue();
		this.clock.advance(Duration.ofNanos(1));

		assertThat(this.delay.isUnderWay()).isFalse();
		assertThat(this.ended).hasValue(1);
	}

	@Test
	void cancelledDelayDoesNotEnd() {
		this.delay.begin(this.clock, LENGTH, true);
		this.delay.cancel();
		this.clock.advance(LENGTH);

		assertThat(this.delay.isForOthers()).isFalse();
		assertThat(this.ended).hasValue(0);
	}

	@Test
	void laterDelayTakesThePlaceOfTheEarlierOne() {
		this.delay.begin(this.clock, LENGTH, false);
		this.delay.begin(this.clock, LENGTH.multipliedBy(2), true);

		this.clock.advance(LENGTH);
		assertThat(this.delay.isForOthers()).isTrue();
		this.clock.advance(LENGTH);

		assertThat(this.ended).hasValue(1);
	}

	@Test
	void delayThatWasCancelledTooLateEndsNeitherItselfNorTheNextOne() {
		List<Runnable> begun = new ArrayList<>();
		LockClock unreliable = new DecoratedClock(this.clock) {

			@Override
			public Timeout schedule(Duration length, Runnable task) {
				begun.add(task);
				return () -> {
				};
			}

		};
		AttemptDelay late = new AttemptDelay(this.ended::incrementAndGet);

		late.begin(unreliable, LENGTH, false);
		late.cancel();
		begun.get(0).run();
		late.begin(unreliable, LENGTH, false);
		begun.get(0).run();

		assertThat(late.isUnderWay()).isTrue();
		assertThat(this.ended).hasValue(0);
		begun.get(1).run();
		assertThat(this.ended).hasValue(1);
	}

	@Test
	void delayWhoseTimerCouldNotBeCancelledIsOver() {
		LockClock unreliable = new DecoratedClock(this.clock) {

			@Override
			public Timeout schedule(Duration length, Runnable task) {
				return () -> {
					throw new StackOverflowError("expected by this test");
				};
			}

		};
		AttemptDelay stuck = new AttemptDelay(this.ended::incrementAndGet);
		stuck.begin(unreliable, LENGTH, false);

		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(stuck::cancel);

		assertThat(stuck.isUnderWay()).isFalse();
	}

}
