package io.distributedlock.backend.jdbc;

import java.time.Duration;

import io.distributedlock.spi.LockClock;

/**
 * When a call has to be over.
 *
 * @param clock the clock
 * @param end the value of its {@link LockClock#nanoTime()} at that time
 */
record Deadline(LockClock clock, long end) {

	static Deadline in(Duration timeout, LockClock clock) {
		return new Deadline(clock, clock.nanoTime() + timeout.toNanos());
	}

	/**
	 * Return what is left.
	 * @return the time left, never negative
	 */
	Duration left() {
		return Duration.ofNanos(Math.max(0, this.end - this.clock.nanoTime()));
	}

	boolean isPassed() {
		return this.end - this.clock.nanoTime() <= 0;
	}

}
