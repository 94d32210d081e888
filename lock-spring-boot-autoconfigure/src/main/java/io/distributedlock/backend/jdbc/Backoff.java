package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a waiter lets a busy lock be before it asks again: the longer the longer the
 * lock has been held, so that one that changes hands fast is asked for often and one that
 * is kept seldom; at random, so that waiters that met part. The next pause is known
 * before the answer that it follows, so that the mark can say when its waiter asks again.
 */
final class Backoff {

	private static final long SHORTEST_MILLIS = 20;

	private static final long LONGEST_MILLIS = 1000;

	/**
	 * How long a waiter sleeps at most that is told of releases: a lost notification
	 * costs no more.
	 */
	static final Duration LONGEST_SLEEP = Duration.ofSeconds(5);

	private static final long JITTER_MILLIS = 50;

	// Attempts that a time-out has overtaken may still end beside later ones: then one of
	// them says how long the next pause is.
	private volatile Duration planned = pause(Duration.ZERO);

	/**
	 * Return how long the next pause is at most.
	 * @return the pause
	 */
	Duration planned() {
		return this.planned;
	}

	/**
	 * Return the next pause.
	 * @param rest what is left of the holder's lease: nothing comes of waiting longer
	 * @param age for how long it has been held
	 * @return the pause
	 */
	Duration next(Duration rest, Duration age) {
		Duration pause = shorter(rest, shorter(this.planned, pause(age)));
		this.planned = pause(age.plus(pause));
		return pause;
	}

	/**
	 * Return a sixth to a third of the time for which the lock has been held: whoever
	 * lets it go and waits for this pause to end loses no more than that.
	 */
	static Duration pause(Duration age) {
		long most = Math.max(SHORTEST_MILLIS, Math.min(LONGEST_MILLIS, age.toMillis() / 3));
		return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
	}

	/**
	 * Return the pause of a waiter that is told of releases: only an expiry tells nobody,
	 * and those who wait for it do not come all at once.
	 * @param rest what is left of the holder's lease
	 * @return the pause
	 */
	static Duration sleep(Duration rest) {
		return shorter(rest.plusMillis(ThreadLocalRandom.current().nextLong(1, JITTER_MILLIS + 1)), LONGEST_SLEEP);
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

}
