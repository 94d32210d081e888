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
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.support.JdbcUtils;

import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.call.CallDeadline;

/**
 * A connection that only the locks use, in autocommit mode and writable. It is returned
 * to the pool in its original state. Used by one thread at a time.
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

	private final LongSupplier nanoTime;

	private final long borrowedAt;

	private @Nullable Integer prepareThreshold;

	private boolean broken;

	private LockConnection(Connection connection, LockTable table, boolean autoCommit, boolean readOnly,
			Consumer<Connection> eviction, LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.borrowedAt = nanoTime.getAsLong();
		this.eviction = eviction;
		this.timeouts = new ConnectionTimeouts(connection, table.dialect());
		this.connection = connection;
		this.table = table;
		this.autoCommit = autoCommit;
		this.readOnly = readOnly;
	}

	/**
	 * Prepare a borrowed connection for locks.
	 * @param connection the connection
	 * @param tables determines the table for the database of a connection
	 * @param eviction evicts a broken connection from the pool
	 * @param nanoTime the time by the monotonic clock
	 * @return the connection
	 * @throws SQLException if that fails; the connection is returned then
	 */
	static LockConnection prepare(Connection connection, SqlFunction<Connection, LockTable> tables,
			Consumer<Connection> eviction, LongSupplier nanoTime) throws SQLException {
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
			LockConnection prepared = new LockConnection(connection, table, autoCommit, readOnly, eviction, nanoTime);
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

	/**
	 * Return when the connection was borrowed.
	 * @return the time by the monotonic clock
	 */
	long borrowedAt() {
		return this.borrowedAt;
	}

	long nanoTime() {
		return this.nanoTime.getAsLong();
	}

	Connection connection() {
		return this.connection;
	}

	/**
	 * Ask the database whether the connection works. If not, the connection is
	 * {@linkplain #breakOff() aborted}.
	 * @param timeout how long the database may take to answer; a second at least
	 * @return whether it works
	 * @throws SQLException if the database can't be asked
	 */
	boolean isFit(Duration timeout) throws SQLException {
		if (this.connection.isValid(ConnectionTimeouts.wholeSeconds(timeout))) {
			return true;
		}
		breakOff();
		return false;
	}

	/**
	 * Abort the connection, and let a statement fail on it so that the pool drops it. A
	 * pool accepts a connection that was only found invalid. It then lends the connection
	 * to the next caller without a check, because it was used just now.
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
	 * Return the limits of the following statements.
	 * @return the timeouts of this connection
	 */
	ConnectionTimeouts timeouts() {
		return this.timeouts;
	}

	/**
	 * Run work, and repeat it if the database rolled it back because of a conflict: a
	 * deadlock, a serialization error or a lock wait timeout. Remembers if the connection
	 * may have broken.
	 * @param <T> the type of the result
	 * @param deadline the time before which the last run has to begin
	 * @param work what to run; each run is a transaction of its own
	 * @return its result
	 * @throws SQLException if it failed with another fault, too often or for too long
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
			catch (Error ex) {
				// Such as a stack overflow of the caller in the middle of an answer, the
				// rest of which the next statement would read.
				this.broken = true;
				throw ex;
			}
		}
	}

	private static Duration pause(int tries) {
		long mostMillis = Math.min(LONGEST_PAUSE_MILLIS, 1L << tries);
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(mostMillis * 1_000_000) + 1);
	}

	/**
	 * Prepare a statement and set its parameters. The table is checked before the first
	 * statement.
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
	 * Check the table of members, unless it has been checked already.
	 * @throws SQLException if no time is left
	 * @throws LockRefusedException if the table does not fit
	 */
	void checkMembers() throws SQLException {
		if (!this.table.memberCheck().isPassed()) {
			this.table.memberCheck().run(this.connection, this.timeouts.beforeStatement());
		}
	}

	/**
	 * Run work as one transaction of several statements. While it is open, it keeps locks
	 * on rows that other clients need. So if this client was paused after it got them,
	 * the transaction is rolled back instead of continued, and may be repeated.
	 * @param <T> the type of the result
	 * @param work what to run
	 * @return its result
	 * @throws SQLException if a database access error occurs; the transaction is rolled
	 * back then, unless its outcome is unknown
	 */
	<T> T transaction(SqlFunction<OpenTransaction, T> work) throws SQLException {
		OpenTransaction transaction = new OpenTransaction(this);
		transaction.begin();
		try {
			T result = work.apply(transaction);
			transaction.end();
			return result;
		}
		catch (SQLException | RuntimeException ex) {
			transaction.rollBack(ex);
			throw ex;
		}
	}

	/**
	 * Query rows.
	 * @param <T> the type of the results
	 * @param sql the query
	 * @param values its values
	 * @param mapper turns a row into a result
	 * @return the rows in their order
	 * @throws SQLException if a database access error occurs
	 */
	<T> List<T> query(SqlStatement sql, Map<String, @Nullable Object> values, SqlFunction<ResultSet, T> mapper)
			throws SQLException {
		return query(sql, values, 0, mapper);
	}

	/**
	 * Query rows.
	 * @param <T> the type of the results
	 * @param sql the query
	 * @param values its values
	 * @param most the maximum number of rows; zero for all
	 * @param mapper turns a row into a result
	 * @return the rows in their order
	 * @throws SQLException if a database access error occurs
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
	 * Run an update. It may return the changed row if the database supports
	 * notifications. For all other databases {@code execute()} is avoided, before which
	 * MySQL's driver asks the server each time whether it is read-only.
	 * @param sql the update
	 * @param values its values
	 * @return whether it has changed a row
	 * @throws SQLException if a database access error occurs
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
	 * Record the fault of a statement. If the connection may be broken, it is evicted
	 * from the pool when it is closed. A pool that does not know the driver's fault would
	 * accept the connection. It would then lend it to the next caller without a check,
	 * because it was used just now.
	 * @param fault what was thrown
	 */
	void noteFault(Throwable fault) {
		this.broken |= !SqlFaults.isRefused(fault);
	}

	/**
	 * Return the connection in its original state, or evict it if it may be broken.
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
