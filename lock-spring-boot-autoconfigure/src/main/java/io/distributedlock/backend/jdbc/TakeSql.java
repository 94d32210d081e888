package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Executes the statements that take what a request wants, all or nothing. Other
 * statements read the state of what is taken, and leave the mark of a waiter.
 */
interface TakeSql {

	/**
	 * For how long the mark of a waiter outlasts the time at which it polls, so that a
	 * group that it has closed stays closed until then.
	 */
	Duration LATE = Duration.ofSeconds(1);

	/**
	 * Return the statements for a request.
	 * @param connection the connection
	 * @param target what to take
	 * @param request the request
	 * @param pollAfter the delay before an unnotified waiter polls again
	 * @return the statements
	 */
	static TakeSql on(LockConnection connection, LockTarget target, LeaseRequest request, Duration pollAfter) {
		return (target.keys().size() == 1) ? new AcquireSql(connection, target.key(), request, pollAfter)
				: new SeveralKeysSql(connection, target.keys(), request);
	}

	/**
	 * Return how long the mark of a waiter stays.
	 * @return the time in ms
	 */
	static long mark(Dialect dialect, Duration pollAfter, boolean notified) {
		Duration polls = dialect.has(Dialect.Trait.NOTIFICATIONS) ? pollAfter.plus(LATE) : pollAfter;
		return (notified ? PollDelay.MARK : polls).toMillis();
	}

	/**
	 * Take all locks if they are free.
	 * @return the state with the request's owner if it was granted. Otherwise what was
	 * read, with the mark of a request that waits, or {@code null} if the state is not
	 * known
	 * @throws SQLException if a database access error occurs
	 */
	@Nullable LockState acquire() throws SQLException;

	/**
	 * Read the state without a change.
	 * @return the state, or {@code null} if nothing is stored
	 * @throws SQLException if a database access error occurs
	 */
	@Nullable LockState state() throws SQLException;

	/**
	 * Leave a waiter's mark on the locks that are taken.
	 * @param pollAfter the delay before an unnotified waiter polls again
	 * @param notified whether the waiter is notified of releases
	 * @return the state, or {@code null} if all locks are free
	 * @throws SQLException if a database access error occurs
	 */
	@Nullable LockState mark(Duration pollAfter, boolean notified) throws SQLException;

}
