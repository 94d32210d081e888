package io.distributedlock.integration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.LockClock;

/**
 * When a question was sent, on both clocks: the monotonic one may stand still while the
 * machine is suspended.
 *
 * @param nanos the monotonic clock
 * @param wallMillis the wall clock
 */
record SentAt(long nanos, long wallMillis) {

	static SentAt now(LockClock clock) {
		return new SentAt(clock.nanoTime(), clock.wallMillis());
	}

	/**
	 * Return the time since then on the clock that counted more.
	 */
	Duration age(LockClock clock) {
		long monotonic = clock.nanoTime() - this.nanos;
		return Duration
			.ofNanos(Math.max(monotonic, TimeUnit.MILLISECONDS.toNanos(clock.wallMillis() - this.wallMillis)));
	}

}
