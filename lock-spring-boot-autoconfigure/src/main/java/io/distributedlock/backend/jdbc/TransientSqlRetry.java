package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.backend.call.CallDeadline;

/**
 * Decides whether to repeat what the database rolled back for the sake of others:
 * deadlocks, serialization errors and lock waits that were given up. Used by one thread.
 */
final class TransientSqlRetry {

	private static final int MOST = 40;

	private static final long FIRST_PAUSE_MILLIS = 1;

	private static final long LONGEST_PAUSE_MILLIS = 64;

	private final CallDeadline deadline;

	private int tries;

	/**
	 * Create retries.
	 * @param deadline when the last of them has to be over
	 */
	TransientSqlRetry(CallDeadline deadline) {
		this.deadline = deadline;
	}

	/**
	 * Pause before the next try, if there is one.
	 * @param fault what the latest try failed with
	 * @return {@code false} if it failed for good, for too often or for too long
	 */
	boolean pauseAfter(Throwable fault) {
		this.tries++;
		Duration pause = pause(this.tries);
		if (!SqlFaults.isTransient(fault) || this.tries == MOST || this.deadline.left().compareTo(pause) <= 0) {
			return false;
		}
		LockSupport.parkNanos(pause.toNanos());
		return true;
	}

	private static Duration pause(int tries) {
		long most = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries, 10));
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most * 1_000_000) + 1);
	}

}
