package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long a waiter lets a busy lock be before it asks again: longer each time, at
 * random, so that waiters that met part.
 */
final class Backoff {

	private static final long FIRST_MILLIS = 20;

	private static final long LONGEST_MILLIS = 1000;

	/**
	 * How long a waiter sleeps at most that is told of releases: a lost notification
	 * costs no more.
	 */
	static final Duration LONGEST_SLEEP = Duration.ofSeconds(5);

	private static final long JITTER_MILLIS = 50;

	// Attempts that a time-out has overtaken may still end beside later ones.
	private final AtomicInteger steps = new AtomicInteger();

	/**
	 * Return the next pause.
	 * @param rest what is left of the holder's lease: nothing comes of waiting longer
	 * @return the pause
	 */
	Duration next(Duration rest) {
		int step = this.steps.getAndUpdate((steps) -> Math.min(steps + 1, 10));
		long most = Math.min(LONGEST_MILLIS, FIRST_MILLIS << step);
		Duration pause = Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
		return (rest.compareTo(pause) < 0) ? rest : pause;
	}

	/**
	 * Return the pause of a waiter that is told of releases: only an expiry tells nobody,
	 * and those who wait for it do not come all at once.
	 * @param rest what is left of the holder's lease
	 * @return the pause
	 */
	static Duration sleep(Duration rest) {
		Duration pause = rest.plusMillis(ThreadLocalRandom.current().nextLong(1, JITTER_MILLIS + 1));
		return (pause.compareTo(LONGEST_SLEEP) < 0) ? pause : LONGEST_SLEEP;
	}

}
