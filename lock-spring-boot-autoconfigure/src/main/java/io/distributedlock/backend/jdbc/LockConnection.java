package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.call.CallDeadline;

/**
 * A connection of its own for the locks, in autocommit and writable, that is given back
 * as it was. Used by one thread at a time.
 */
final class LockConnection implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(LockConnection.class);

	/**
	 * By how much the network outlasts the statement, so that a database that gives a
	 * statement up can still say so, and the connection can be used again.
	 */
	private static final int NETWORK_GRACE_MILLIS = 200;

	private final Connection connection;

	private final LockTable table;

	private final boolean autoCommit;

	private final boolean readOnly;

	private @Nullable Integer networkTimeout;

	private int timeoutSeconds;

	private @Nullable CallDeadline deadline;

	private boolean strict;

	private final Consumer<Connection> eviction;

	private @Nullable Integer prepareThreshold;

	private boolean broken;

	private LockConnection(Connection connection, LockTable table, boolean autoCommit, boolean readOnly,
			Consumer<Connection> eviction) {
		this.eviction = eviction;
		this.connection = connection;
		this.table = table;
		this.autoCommit = autoCommit;
		this.readOnly = readOnly;
	}

	/**
	 * Make a connection fit for locks.
	 * @param connection the connection, just borrowed
	 * @param tables finds the table by the kind of database
	 * @param eviction has the pool drop a connection that is broken
	 * @return the connection
	 * @throws SQLException if that fails; the connection was given back
	 */
	static LockConnection prepare(Connection connection, SqlFunction<Connection, LockTable> tables,
			Consumer<Connection> eviction) throws SQLException {
		try {
			LockTable table = tables.apply(connection);
			boolean autoCommit = connection.getAutoCommit();
			boolean readOnly = !table.dialect().has(Dialect.Trait.ASKS_WHETHER_READ_ONLY) && connection.isReadOnly();
			if (readOnly) {
				connection.setReadOnly(false);
			}
			if (!autoCommit) {
				connection.setAutoCommit(true);
			}
			LockConnection prepared = new LockConnection(connection, table, autoCommit, readOnly, eviction);
			if (table.behindProxy()) {
				prepared.prepareThreshold = PostgresDriver.forbidNames(connection);
			}
			return prepared;
		}
		catch (SQLException | RuntimeException ex) {
			if (!SqlFaults.isRefused(ex)) {
				eviction.accept(connection);
			}
			closeQuietly(connection);
			throw ex;
		}
	}

	/**
	 * Return the operations on the table of this connection's database.
	 * @return the table
	 */
	LockTable table() {
		return this.table;
	}

	Connection connection() {
		return this.connection;
	}

	/**
	 * Ask the database whether the connection works. One that does not is of no use to
	 * anybody after that.
	 * @param timeout how long the database may take to answer; a second at least
	 * @return whether it works
	 * @throws SQLException if that can't be asked
	 */
	boolean isFit(Duration timeout) throws SQLException {
		if (this.connection.isValid((int) Math.max(1, timeout.plusMillis(999).toSeconds()))) {
			return true;
		}
		breakOff();
		return false;
	}

	/**
	 * A pool takes a connection back that was only found invalid, and gives it to the
	 * next one who asks, unchecked because it was used just now. One on which a statement
	 * fails it drops.
	 */
	void breakOff() {
		this.broken = true;
		try {
			this.connection.abort(Runnable::run);
			try (Statement statement = this.connection.createStatement()) {
				statement.execute("SELECT 1");
			}
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A broken connection is dropped", ex);
		}
	}

	/**
	 * Bound each of the statements that follow.
	 * @param timeout how long one statement may take
	 * @throws SQLException if the connection is broken
	 */
	void bound(Duration timeout) throws SQLException {
		this.deadline = null;
		limitStatements(timeout);
		limitNetwork(timeout, NETWORK_GRACE_MILLIS);
	}

	/**
	 * Bound all of the statements that follow together.
	 * @param deadline when the last of them has to be over, apart from a moment in which
	 * a database that gives a statement up can say so
	 */
	void boundBy(CallDeadline deadline) {
		this.deadline = deadline;
		this.strict = false;
	}

	/**
	 * Bound all of the statements that follow together. When the time is over the
	 * connection breaks: a driver that tells the database to give a statement up may need
	 * another connection for that, and wait for it.
	 * @param deadline when the last of them has to be over
	 */
	void boundStrictlyBy(CallDeadline deadline) {
		this.deadline = deadline;
		this.strict = true;
	}

	private void limitStatements(Duration timeout) {
		if (this.table.dialect().has(Dialect.Trait.QUERY_TIMEOUT)) {
			this.timeoutSeconds = (int) Math.max(1, timeout.plusMillis(999).toSeconds());
		}
	}

	private void limitNetwork(Duration timeout, int graceMillis) throws SQLException {
		if (this.table.dialect().has(Dialect.Trait.NETWORK)) {
			if (this.networkTimeout == null) {
				this.networkTimeout = this.connection.getNetworkTimeout();
			}
			this.connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, timeout.toMillis()) + graceMillis);
		}
	}

	/**
	 * Get ready for a statement. Before the first one the table is checked.
	 * @throws LockRefusedException if the table does not fit
	 */
	private void prepareConnection() throws SQLException {
		if (this.deadline != null) {
			Duration left = this.deadline.left();
			if (left.isZero()) {
				throw new SQLTimeoutException("There was no time left for a further statement");
			}
			if (this.strict) {
				this.timeoutSeconds = 0;
				limitNetwork(left, 0);
			}
			else {
				limitStatements(left);
				limitNetwork(left, NETWORK_GRACE_MILLIS);
			}
		}
		this.table.check().run(this.connection, this.timeoutSeconds);
	}

	/**
	 * Run work, and run it again if the database rolled it back for the sake of others.
	 * Takes note if the connection may have broken.
	 * @param <T> what comes of it
	 * @param deadline when the last run has to begin
	 * @param work what to run; each run is a transaction of its own
	 * @return its result
	 * @throws SQLException if it failed for good or for too long
	 */
	<T> T run(CallDeadline deadline, SqlFunction<LockConnection, T> work) throws SQLException {
		TransientSqlRetry retry = new TransientSqlRetry(deadline);
		while (true) {
			try {
				return work.apply(this);
			}
			catch (SQLException | RuntimeException ex) {
				if (!retry.pauseAfter(ex)) {
					noteFault(ex);
					throw ex;
				}
			}
		}
	}

	PreparedStatement prepare(SqlStatement statement, Map<String, @Nullable Object> values) throws SQLException {
		prepareConnection();
		return statement.prepare(this.connection, this.timeoutSeconds, values);
	}

	<S extends PreparedStatement> S prepare(SqlStatement statement, SqlStatement.Preparation<S> preparation,
			Map<String, @Nullable Object> values) throws SQLException {
		prepareConnection();
		return statement.prepare(this.connection, preparation, this.timeoutSeconds, values);
	}

	/**
	 * Query rows.
	 * @param <T> what is made of each row
	 * @param sql the query
	 * @param values its values
	 * @param mapper makes it
	 * @return the rows in their order
	 * @throws SQLException if the database complains
	 */
	<T> List<T> query(SqlStatement sql, Map<String, @Nullable Object> values, SqlFunction<ResultSet, T> mapper)
			throws SQLException {
		try (PreparedStatement statement = prepare(sql, values); ResultSet rows = statement.executeQuery()) {
			List<T> results = new ArrayList<>();
			while (rows.next()) {
				results.add(mapper.apply(rows));
			}
			return results;
		}
	}

	<T> @Nullable T queryFirst(SqlStatement sql, Map<String, @Nullable Object> values, SqlFunction<ResultSet, T> mapper)
			throws SQLException {
		try (PreparedStatement statement = prepare(sql, values); ResultSet rows = statement.executeQuery()) {
			return rows.next() ? mapper.apply(rows) : null;
		}
	}

	/**
	 * Run an update that may return the row that it has changed, as those do that notify.
	 * Not so where none does: before such a call MySQL's driver asks the server whether
	 * it is read-only, each time.
	 * @param sql the update
	 * @param values its values
	 * @return whether it has changed a row
	 * @throws SQLException if the database complains
	 */
	boolean update(SqlStatement sql, Map<String, @Nullable Object> values) throws SQLException {
		try (PreparedStatement statement = prepare(sql, values)) {
			if (!this.table.dialect().has(Dialect.Trait.NOTIFICATIONS)) {
				return statement.executeUpdate() > 0;
			}
			return statement.execute() ? statement.getResultSet().next() : statement.getUpdateCount() > 0;
		}
	}

	/**
	 * Take note of what a statement ended with: if the connection may be broken, the pool
	 * is to drop it. A pool that does not know the driver's complaint would take it back,
	 * and give it to the next one who asks, unchecked because it was used just now.
	 * @param fault what was thrown
	 */
	void noteFault(Throwable fault) {
		this.broken |= !SqlFaults.isRefused(fault);
	}

	/**
	 * Give the connection back as it was.
	 */
	@Override
	public void close() {
		if (this.broken) {
			this.eviction.accept(this.connection);
			closeQuietly(this.connection);
			return;
		}
		try {
			if (this.networkTimeout != null) {
				this.connection.setNetworkTimeout(Runnable::run, this.networkTimeout);
			}
			if (this.prepareThreshold != null) {
				PostgresDriver.setPrepareThreshold(this.connection, this.prepareThreshold);
			}
			if (!this.autoCommit) {
				this.connection.setAutoCommit(false);
			}
			if (this.readOnly) {
				this.connection.setReadOnly(true);
			}
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection could not be given back as it was", ex);
		}
		closeQuietly(this.connection);
	}

	private static void closeQuietly(Connection connection) {
		try {
			connection.close();
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection could not be closed", ex);
		}
	}

}
