package io.distributedlock.backend.call;

import java.time.Duration;

import io.distributedlock.spi.LockClock;

/**
 * The deadline of a call. Public for the stores only.
 *
 * @param clock the clock
 * @param end the value of its {@link LockClock#nanoTime()} at the deadline
 * @since 0.1.0
 */
public record CallDeadline(LockClock clock, long end) {

	/**
	 * Return the deadline of a call that begins now.
	 * @param timeout how long the call may take
	 * @param clock the clock
	 * @return the deadline
	 */
	public static CallDeadline in(Duration timeout, LockClock clock) {
		return new CallDeadline(clock, clock.nanoTime() + timeout.toNanos());
	}

	/**
	 * Return the time that is left.
	 * @return the time, never negative
	 */
	public Duration left() {
		return Duration.ofNanos(Math.max(0, this.end - this.clock.nanoTime()));
	}

	/**
	 * Return whether no time is left.
	 * @return whether the deadline has passed
	 */
	public boolean isPassed() {
		return this.end - this.clock.nanoTime() <= 0;
	}

}
