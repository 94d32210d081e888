package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Waiting times between attempts at a store that can't be asked: they double up to a
 * bound, and each is drawn at random from the upper half, so that many clients do not
 * come back at once.
 */
record Backoff(Duration first, Duration most) {

	static final Backoff STORE_FAULT = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1));

	Duration delay(int failures) {
		long ceiling = Math.min(this.most.toMillis(), this.first.toMillis() << Math.min(failures, 20));
		return Duration.ofMillis(ThreadLocalRandom.current().nextLong(ceiling / 2, ceiling + 1));
	}

}
