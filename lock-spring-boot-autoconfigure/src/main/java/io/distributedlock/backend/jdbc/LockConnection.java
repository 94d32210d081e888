package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.support.JdbcUtils;

import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.call.CallDeadline;

/**
 * A connection of its own for the locks, in autocommit and writable, that is given back
 * as it was. Used by one thread at a time.
 */
final class LockConnection implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(LockConnection.class);

	private static final int MOST_TRIES = 40;

	private static final long LONGEST_PAUSE_MILLIS = 64;

	private final Connection connection;

	private final LockTable table;

	private final boolean autoCommit;

	private final boolean readOnly;

	private final Consumer<Connection> eviction;

	private final ConnectionTimeouts timeouts;

	private @Nullable Integer prepareThreshold;

	private boolean broken;

	private LockConnection(Connection connection, LockTable table, boolean autoCommit, boolean readOnly,
			Consumer<Connection> eviction) {
		this.eviction = eviction;
		this.timeouts = new ConnectionTimeouts(connection, table.dialect());
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
				prepared.prepareThreshold = PostgresDriver.setPrepareThreshold(connection, PostgresDriver.NO_NAMES);
			}
			return prepared;
		}
		catch (SQLException | RuntimeException ex) {
			if (!SqlFaults.isRefused(ex)) {
				eviction.accept(connection);
			}
			JdbcUtils.closeConnection(connection);
			throw ex;
		}
	}

	/**
	 * Return the statements and the settings for this connection's database.
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
		if (this.connection.isValid(ConnectionTimeouts.wholeSeconds(timeout))) {
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
	 * Return what bounds the statements that follow.
	 * @return the time-outs of this connection
	 */
	ConnectionTimeouts timeouts() {
		return this.timeouts;
	}

	/**
	 * Run work, and run it again if the database rolled it back for the sake of others:
	 * deadlocks, serialization errors and lock waits that were given up. Takes note if
	 * the connection may have broken.
	 * @param <T> what comes of it
	 * @param deadline when the last run has to begin
	 * @param work what to run; each run is a transaction of its own
	 * @return its result
	 * @throws SQLException if it failed for good, for too often or for too long
	 */
	<T> T run(CallDeadline deadline, SqlFunction<LockConnection, T> work) throws SQLException {
		for (int tries = 1;; tries++) {
			try {
				return work.apply(this);
			}
			catch (SQLException | RuntimeException ex) {
				Duration pause = pause(tries);
				if (!SqlFaults.isTransient(ex) || tries == MOST_TRIES || deadline.left().compareTo(pause) <= 0) {
					noteFault(ex);
					throw ex;
				}
				LockSupport.parkNanos(pause.toNanos());
			}
		}
	}

	private static Duration pause(int tries) {
		long mostMillis = Math.min(LONGEST_PAUSE_MILLIS, 1L << tries);
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(mostMillis * 1_000_000) + 1);
	}

	/**
	 * Prepare a statement and give it its values. Before the first one the table is
	 * checked.
	 * @param statement the statement
	 * @param values its values by name
	 * @return the statement, to be closed by the caller
	 * @throws SQLException if it can't be prepared
	 * @throws LockRefusedException if the table does not fit
	 */
	PreparedStatement prepare(SqlStatement statement, Map<String, @Nullable Object> values) throws SQLException {
		return prepare(statement, values, this.connection::prepareStatement);
	}

	<S extends PreparedStatement> S prepare(SqlStatement statement, Map<String, @Nullable Object> values,
			SqlFunction<String, S> preparation) throws SQLException {
		int timeoutSeconds = this.timeouts.beforeStatement();
		this.table.check().run(this.connection, timeoutSeconds);
		return statement.prepare(preparation, timeoutSeconds, values);
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
		return query(sql, values, 0, mapper);
	}

	/**
	 * Query rows.
	 * @param <T> what is made of each row
	 * @param sql the query
	 * @param values its values
	 * @param most how many rows at most; zero for all
	 * @param mapper makes it
	 * @return the rows in their order
	 * @throws SQLException if the database complains
	 */
	<T> List<T> query(SqlStatement sql, Map<String, @Nullable Object> values, int most,
			SqlFunction<ResultSet, T> mapper) throws SQLException {
		try (PreparedStatement statement = prepare(sql, values)) {
			if (most > 0) {
				statement.setMaxRows(most);
			}
			try (ResultSet rows = statement.executeQuery()) {
				List<T> results = new ArrayList<>();
				while (rows.next()) {
					results.add(mapper.apply(rows));
				}
				return results;
			}
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
			JdbcUtils.closeConnection(this.connection);
			return;
		}
		try {
			this.timeouts.restore();
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
		JdbcUtils.closeConnection(this.connection);
	}

}
