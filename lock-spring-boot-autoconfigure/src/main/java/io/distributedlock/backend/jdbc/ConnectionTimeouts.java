package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.CallDeadline;

/**
 * Limits the time of statements on one connection, at the database and in the network, as
 * far as the dialect supports both. Used by one thread at a time.
 */
final class ConnectionTimeouts {

	/**
	 * By how much the network timeout exceeds the statement's. A database that cancels a
	 * statement can then still report it, and the connection remains usable.
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
	 * Limit the time of each following statement.
	 * @param timeout how long one statement may take
	 * @throws SQLException if the connection is broken
	 */
	void bound(Duration timeout) throws SQLException {
		this.deadline = null;
		limit(timeout);
	}

	/**
	 * Limit the total time of all following statements.
	 * @param deadline the deadline of the last one
	 * @param strict whether the connection breaks at the deadline, without a query
	 * timeout. A driver may need another connection to cancel a statement, and wait for
	 * it. If not strict, the network timeout leaves the database a moment to report that
	 * it cancelled a statement
	 */
	void boundBy(CallDeadline deadline, boolean strict) {
		this.deadline = deadline;
		this.strict = strict;
	}

	/**
	 * Set the limits of the next statement.
	 * @return the query timeout in seconds; zero for none
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
	 * Return a timeout in the whole seconds that drivers expect, at least one.
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
