package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats what the database rolled back for the sake of others: deadlocks, serialization
 * errors and lock waits that were given up.
 */
final class Retries {

	private static final int MOST = 40;

	private static final long FIRST_PAUSE_MILLIS = 1;

	private static final long LONGEST_PAUSE_MILLIS = 64;

	private Retries() {
	}

	/**
	 * Run something until it succeeds, fails for good, or the time is over.
	 * @param deadline when it has to be over
	 * @param work what to run; each run is a transaction of its own
	 * @return its result
	 * @throws SQLException if it failed for good or for too long
	 */
	static <T> T run(Deadline deadline, SqlCall<T> work) throws SQLException {
		for (int tries = 1;; tries++) {
			try {
				return work.call();
			}
			catch (SQLException | RuntimeException ex) {
				Duration pause = pause(tries);
				if (!SqlFaults.isTransient(ex) || tries == MOST || deadline.left().compareTo(pause) <= 0) {
					throw ex;
				}
				LockSupport.parkNanos(pause.toNanos());
			}
		}
	}

	private static Duration pause(int tries) {
		long most = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries, 10));
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most * 1_000_000) + 1);
	}

	/**
	 * Something that talks to the database.
	 *
	 * @param <T> what comes of it
	 */
	@FunctionalInterface
	interface SqlCall<T> {

		T call() throws SQLException;

	}

}
