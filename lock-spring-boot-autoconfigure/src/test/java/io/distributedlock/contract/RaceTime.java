package io.distributedlock.contract;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * How long a race goes on: for a while, and then until what it is about has happened. On
 * a busy machine the while may be over before the threads run. In real time, also where
 * clients have a virtual clock.
 *
 * @param end the end of the while
 * @param limit when a race ends in which that never happens
 */
record RaceTime(long end, long limit) {

	private static final Duration LONGEST = Duration.ofSeconds(30);

	static RaceTime of(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		return new RaceTime(end, end + LONGEST.toNanos());
	}

	boolean goesOn(BooleanSupplier happened) {
		long now = System.nanoTime();
		return now - this.end < 0 || now - this.limit < 0 && !happened.getAsBoolean();
	}

}
