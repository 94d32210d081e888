package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.backend.notification.PollDelay;

/**
 * Delay before one waiter polls a lock again, also after a split vote.
 */
final class RedlockPollDelay {

	private static final long LONGEST_AFTER_SPLIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long SHORTEST_ROUND_TRIP_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	private final RandomSource random;

	private final PollDelay whileHeld;

	private final AtomicInteger splits = new AtomicInteger();

	RedlockPollDelay(RandomSource random) {
		this.random = random;
		this.whileHeld = new PollDelay(random.source());
	}

	/**
	 * Return the delay after a vote without a majority. It is short, since the lock is
	 * free, and random, so that the waiters do not meet again.
	 * @param roundTrip how long the votes took
	 */
	Duration afterSplit(Duration roundTrip) {
		int step = Math.min(this.splits.incrementAndGet(), 16);
		long trip = Math.min(LONGEST_AFTER_SPLIT_NANOS, Math.max(SHORTEST_ROUND_TRIP_NANOS, roundTrip.toNanos()));
		return Duration.ofNanos(1 + this.random.below(Math.min(LONGEST_AFTER_SPLIT_NANOS, trip << step)));
	}

	/**
	 * Return the delay while one holder has a majority.
	 * @param rest the time until the lock is free
	 * @param notified whether the waiter is notified of releases
	 */
	Duration afterBusy(Duration rest, boolean notified) {
		this.splits.set(0);
		return notified ? this.whileHeld.notified(rest) : this.whileHeld.unnotified(rest);
	}

}
