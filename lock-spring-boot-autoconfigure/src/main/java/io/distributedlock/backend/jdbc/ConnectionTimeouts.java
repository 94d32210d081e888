package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.CallDeadline;

/**
 * Bounds the statements of one connection, at the database and in the network, as far as
 * the dialect allows both. Used by one thread at a time.
 */
final class ConnectionTimeouts {

	/**
	 * By how much the network outlasts the statement, so that a database that gives a
	 * statement up can still say so, and the connection can be used again.
	 */
	private static final int NETWORK_GRACE_MILLIS = 200;

	private final Connection connection;

	private final Dialect dialect;

	private @Nullable Integer originalNetworkTimeout;

	private int statementSeconds;

	private @Nullable CallDeadline deadline;

	private boolean strict;

	ConnectionTimeouts(Connection connection, Dialect dialect) {
		this.connection = connection;
		this.dialect = dialect;
	}

	/**
	 * Bound each of the statements that follow.
	 * @param timeout how long one statement may take
	 * @throws SQLException if the connection is broken
	 */
	void bound(Duration timeout) throws SQLException {
		this.deadline = null;
		limit(timeout);
	}

	/**
	 * Bound all of the statements that follow together.
	 * @param deadline when the last of them has to be over
	 * @param strict whether the connection breaks when the time is over, instead of
	 * waiting a moment in which a database that gives a statement up can say so: a driver
	 * that tells the database to give a statement up may need another connection for
	 * that, and wait for it
	 */
	void boundBy(CallDeadline deadline, boolean strict) {
		this.deadline = deadline;
		this.strict = strict;
	}

	/**
	 * Get ready for a statement.
	 * @return after how many seconds the database is to give the statement up; zero for
	 * no such bound
	 * @throws SQLException if no time is left, or the connection is broken
	 */
	int beforeStatement() throws SQLException {
		if (this.deadline != null) {
			Duration left = this.deadline.left();
			if (left.isZero()) {
				throw new SQLTimeoutException("There was no time left for a further statement");
			}
			if (this.strict) {
				this.statementSeconds = 0;
				limitNetwork(left, 0);
			}
			else {
				limit(left);
			}
		}
		return this.statementSeconds;
	}

	private void limit(Duration timeout) throws SQLException {
		if (this.dialect.has(Dialect.Trait.QUERY_TIMEOUT)) {
			this.statementSeconds = wholeSeconds(timeout);
		}
		limitNetwork(timeout, NETWORK_GRACE_MILLIS);
	}

	private void limitNetwork(Duration timeout, int graceMillis) throws SQLException {
		if (this.dialect.has(Dialect.Trait.NETWORK)) {
			if (this.originalNetworkTimeout == null) {
				this.originalNetworkTimeout = this.connection.getNetworkTimeout();
			}
			this.connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, timeout.toMillis()) + graceMillis);
		}
	}

	/**
	 * Return a timeout as drivers take it, a second at least.
	 * @param timeout the timeout
	 * @return the seconds, rounded up
	 */
	static int wholeSeconds(Duration timeout) {
		return (int) Math.max(1, timeout.plusMillis(999).toSeconds());
	}

	void restore() throws SQLException {
		if (this.originalNetworkTimeout != null) {
			this.connection.setNetworkTimeout(Runnable::run, this.originalNetworkTimeout);
		}
	}

}
