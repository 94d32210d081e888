package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Computes the back-off between requests to a store that can't be asked. The delays
 * double up to a bound, and each is drawn at random from the upper half, so that many
 * clients do not return at the same time.
 */
final class StoreFaultBackoff {

	private static final long FIRST_MILLIS = 50;

	private static final long MOST_MILLIS = 1_000;

	private StoreFaultBackoff() {
	}

	/**
	 * Return the next delay.
	 * @param failures how many requests have failed in a row before the latest one
	 */
	static Duration delay(int failures) {
		long ceiling = Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(failures, 20));
		return Duration.ofMillis(ThreadLocalRandom.current().nextLong(ceiling / 2, ceiling + 1));
	}

}
