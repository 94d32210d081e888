package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long a waiter lets a lock be before it asks again without having been told.
 */
final class Pauses {

	/**
	 * How long a waiter sleeps at most that is told of releases.
	 */
	static final Duration LONGEST_SLEEP = Duration.ofSeconds(5);

	/**
	 * How long the mark of a waiter stays: longer than it sleeps, and always the same, so
	 * that no mark is shortened by another.
	 */
	static final Duration MARK = Duration.ofSeconds(6);

	private static final long LONGEST_AFTER_SPLIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long SHORTEST_ROUND_TRIP_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	private static final Duration FIRST_POLL = Duration.ofMillis(20);

	private static final Duration LONGEST_POLL = Duration.ofSeconds(1);

	private static final long JITTER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final RandomSource random;

	private final AtomicInteger splits = new AtomicInteger();

	private final AtomicInteger polls = new AtomicInteger();

	Pauses(RandomSource random) {
		this.random = random;
	}

	/**
	 * Return the pause after a vote in which nobody got a majority: who met parts, and
	 * soon, since nobody has the lock.
	 * @param roundTrip how long the votes took
	 */
	Duration afterSplit(Duration roundTrip) {
		int step = Math.min(this.splits.incrementAndGet(), 16);
		long trip = Math.min(LONGEST_AFTER_SPLIT_NANOS, Math.max(SHORTEST_ROUND_TRIP_NANOS, roundTrip.toNanos()));
		return Duration.ofNanos(1 + this.random.below(Math.min(LONGEST_AFTER_SPLIT_NANOS, trip << step)));
	}

	/**
	 * Return the pause where one holder has a majority.
	 * @param rest what is left until the lock is free
	 * @param told whether releases are heard of
	 */
	Duration afterBusy(Duration rest, boolean told) {
		this.splits.set(0);
		if (told) {
			return least(rest, LONGEST_SLEEP).plusNanos(1 + this.random.below(JITTER_NANOS));
		}
		int step = Math.min(this.polls.getAndIncrement(), 6);
		Duration most = least(FIRST_POLL.multipliedBy(1L << step), LONGEST_POLL);
		Duration poll = Duration.ofNanos(most.toNanos() / 2 + this.random.below(most.toNanos() / 2));
		return least(rest.plusMillis(1), poll);
	}

	private static Duration least(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

}
