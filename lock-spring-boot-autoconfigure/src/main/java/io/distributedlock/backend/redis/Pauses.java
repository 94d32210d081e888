package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long a waiter lets a busy lock be before it asks again without having been told.
 */
final class Pauses {

	/**
	 * How long a waiter sleeps at most that is told of releases: a lost message costs no
	 * more.
	 */
	static final Duration LONGEST_SLEEP = Duration.ofSeconds(5);

	/**
	 * How long the mark of a waiter stays: longer than it sleeps, and always the same, so
	 * that no mark is shortened by another.
	 */
	static final Duration MARK = Duration.ofSeconds(6);

	private static final long JITTER_MILLIS = 50;

	private static final long FIRST_MILLIS = 20;

	private static final long LONGEST_MILLIS = 1000;

	// Attempts that a time-out has overtaken may still end beside later ones.
	private final AtomicInteger steps = new AtomicInteger();

	/**
	 * Return the pause of a waiter that is told of releases: only an expiry tells nobody,
	 * and those who wait for it do not come all at once.
	 * @param rest what is left of the holder's lease
	 * @return the pause
	 */
	static Duration told(Duration rest) {
		Duration most = (rest.compareTo(LONGEST_SLEEP) < 0) ? rest : LONGEST_SLEEP;
		return most.plusMillis(ThreadLocalRandom.current().nextLong(1, JITTER_MILLIS + 1));
	}

	/**
	 * Return the pause of one that is not told: longer each time, at random, so that
	 * waiters that met part.
	 * @param rest what is left of the holder's lease
	 * @return the pause
	 */
	Duration untold(Duration rest) {
		int step = this.steps.getAndUpdate((steps) -> Math.min(steps + 1, 10));
		long most = Math.min(LONGEST_MILLIS, FIRST_MILLIS << step);
		Duration pause = Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
		return (rest.compareTo(pause) < 0) ? rest.plusMillis(1) : pause;
	}

}
