package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.LockClock;

/**
 * A point on both clocks. The monotonic clock can stand still while the machine is
 * suspended; a wall clock that gained on it meanwhile gives that away. It only ever ends
 * validity, and never lengthens it.
 *
 * @param nano the monotonic clock
 * @param wall the wall clock in milliseconds
 */
record Moment(long nano, long wall) {

	static Moment now(LockClock clock) {
		return new Moment(clock.nanoTime(), clock.wallMillis());
	}

	/**
	 * Return by how many nanoseconds the wall clock gained on the monotonic clock since
	 * this moment.
	 */
	long gain(Moment later) {
		return TimeUnit.MILLISECONDS.toNanos(later.wall - this.wall) - (later.nano - this.nano);
	}

	/**
	 * Return whether the machine stood still since this moment for longer than a lease of
	 * this ttl can bear.
	 */
	boolean stoodStill(Moment later, Duration ttl) {
		return gain(later) > LockClock.driftAllowance(ttl).toNanos();
	}

}
