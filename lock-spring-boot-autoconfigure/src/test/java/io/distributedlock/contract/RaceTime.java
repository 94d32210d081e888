package io.distributedlock.contract;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * The length of a race: a minimum time, and then until the tested situation has occurred.
 * On a busy machine the minimum time may be over before the threads run. Counted in real
 * time, even if clients have a virtual clock.
 *
 * @param end the end of the minimum time
 * @param limit the end of a race in which the situation never occurs
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
