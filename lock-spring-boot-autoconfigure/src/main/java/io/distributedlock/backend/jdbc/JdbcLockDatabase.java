package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.spi.LockClock;

/**
 * The database of the locks. Its connections never take part in a transaction of a
 * caller. Its dialect is determined on the first connection.
 */
final class JdbcLockDatabase {

	private static final Logger logger = LoggerFactory.getLogger(JdbcLockDatabase.class);

	/**
	 * The database, as the subject of a message.
	 */
	static final String DESCRIPTION = "The database of the locks";

	private final DataSource dataSource;

	private final JdbcLockSettings settings;

	private final TableCreation tables;

	private final LockClock clock;

	private final SilentConnections silent;

	private final PoolDemand demand;

	private final ReleaseNotices notices = new ReleaseNotices();

	// Written once, under this object's monitor, by the thread that connects first.
	private volatile @Nullable LockTable table;

	// For messages; known when the table is.
	private volatile @Nullable String user;

	JdbcLockDatabase(DataSource dataSource, JdbcLockSettings settings, TableCreation tables, LockClock clock) {
		this.clock = clock;
		this.tables = tables;
		this.dataSource = withoutTransactions(dataSource);
		this.settings = settings;
		this.silent = new SilentConnections(this.dataSource);
		this.demand = new PoolDemand(this.dataSource, clock);
	}

	@Nullable String address() {
		return JdbcAddress.of(this.dataSource);
	}

	/**
	 * Create a call to the database that ends after the call timeout at the latest.
	 * @param <T> the type of the answer
	 * @return the call with a running timer
	 */
	<T> StoreCall<T> call() {
		return this.<T>untimedCall(callTimeout()).startTimer();
	}

	/**
	 * Create a call whose work observes the deadline by itself.
	 * @param <T> the type of the answer
	 * @param timeout how long it may take
	 * @return the call without a timer
	 */
	<T> StoreCall<T> untimedCall(Duration timeout) {
		return new StoreCall<>(DESCRIPTION, timeout, this.clock);
	}

	/**
	 * Make a call to the database on another thread.
	 * @param <T> the type of the answer
	 * @param executor runs the work
	 * @param access what the call does with the table
	 * @param work sends the call and completes it, unless it has ended before; its result
	 * is ignored
	 * @return the answer
	 */
	<T> CompletionStage<T> call(Executor executor, TableAccess access, SqlFunction<StoreCall<T>, Boolean> work) {
		StoreCall<T> call = call();
		try {
			executor.execute(() -> {
				if (call.isQueued()) {
					try {
						work.apply(call);
					}
					catch (SQLException | RuntimeException ex) {
						call.fail(explain(ex, access));
					}
				}
			});
		}
		catch (RejectedExecutionException ex) {
			call.fail(closed());
		}
		return call.result();
	}

	static LockUnavailableException closed() {
		return new LockUnavailableException("The locks in the database have been stopped");
	}

	CallDeadline deadline() {
		return CallDeadline.in(callTimeout(), this.clock);
	}

	LockClock clock() {
		return this.clock;
	}

	JdbcLockSettings settings() {
		return this.settings;
	}

	Duration callTimeout() {
		return this.settings.callTimeout();
	}

	private static DataSource withoutTransactions(DataSource dataSource) {
		DataSource bare = dataSource;
		while (bare instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
			bare = proxy.getTargetDataSource();
		}
		return bare;
	}

	/**
	 * Borrow a connection. May block for as long as the pool does.
	 * @return the connection, to be closed by the caller
	 * @throws SQLException if no connection is available
	 */
	LockConnection borrow() throws SQLException {
		return LockConnection.prepare(this.demand.borrow(), this::table, this.silent::evict, this.clock::nanoTime);
	}

	private LockTable table(Connection connection) throws SQLException {
		LockTable table = this.table;
		return (table != null) ? table : find(connection);
	}

	// Synchronized, so that tables are created once, and a warning about an unknown
	// database is logged once.
	private synchronized LockTable find(Connection connection) throws SQLException {
		LockTable table = this.table;
		if (table == null) {
			this.tables.createTables(connection);
			Dialect dialect = DialectResolver.resolve(this.settings.platform(), connection);
			boolean behindProxy = dialect == Dialect.POSTGRESQL && PostgresDriver.isBehindProxy(connection);
			if (behindProxy) {
				logger.info("There is a proxy, such as pgbouncer, in front of the database of the locks."
						+ " Their statements are prepared without names, as with 'prepareThreshold=0'");
			}
			table = new LockTable(dialect, this.settings, this.notices, behindProxy);
			this.user = connection.getMetaData().getUserName();
			this.table = table;
		}
		return table;
	}

	SilentConnections silent() {
		return this.silent;
	}

	PoolDemand demand() {
		return this.demand;
	}

	ReleaseNotices notices() {
		return this.notices;
	}

	/**
	 * Return the dialect.
	 * @return the dialect, or {@code null} before the first connection
	 */
	@Nullable Dialect dialect() {
		LockTable table = this.table;
		return (table != null) ? table.dialect() : null;
	}

	/**
	 * Turn a fault into one whose message says what to do.
	 * @param fault the fault
	 * @param access the access that failed
	 * @return the fault to report
	 */
	Throwable explain(Throwable fault, TableAccess access) {
		LockTable table = this.table;
		if (table != null && SqlFaults.isMissingTable(fault)) {
			boolean members = access.members() && table.check().isPassed();
			String missing = members ? "table of shared leases '" + this.settings.readerTable()
					: "table of locks '" + this.settings.table();
			return new LockRefusedException(
					"The " + missing + "' is not there. Set lock.jdbc.initialize-schema=always, for which the user"
							+ named() + " needs the right to create tables, or run this once: " + table.ddl(),
					fault);
		}
		String tables = access.tables(this.settings);
		if (SqlFaults.isMissingRight(fault)) {
			return new LockRefusedException("The database does not let the user" + named() + " " + access.purpose()
					+ ", which needs " + access.rights() + " on the " + tables + ": " + fault.getMessage(), fault);
		}
		if (SqlFaults.isRefusedForGood(fault)) {
			return new LockRefusedException("The database rejects the statement to " + access.purpose() + " in the "
					+ tables + ": " + fault.getMessage(), fault);
		}
		if (SqlFaults.isNameOfStatementWrong(fault)) {
			return new LockUnavailableException("The database has another prepared statement than the driver expects."
					+ " If a proxy, such as pgbouncer, shares connections between transactions, add 'prepareThreshold=0'"
					+ " to the JDBC URL. The database says: " + fault.getMessage(), fault);
		}
		return fault;
	}

	private String named() {
		String user = this.user;
		return (user != null && !user.isEmpty()) ? " '" + user + "'" : "";
	}

	/**
	 * Return the fault to report if no connection was available.
	 * @param fault the fault of the pool, if any
	 * @return the fault to report
	 */
	Throwable noConnection(@Nullable Throwable fault) {
		if (fault instanceof InvalidLockRequestException) {
			return fault;
		}
		String detail = (fault != null) ? ": " + fault.getMessage() : "";
		if (fault != null && SqlFaults.isRefusedForGood(fault)) {
			return new LockRefusedException("The database of the locks refuses the connection" + detail, fault);
		}
		return new LockUnavailableException("There was no connection to the database of the locks in time" + detail,
				fault);
	}

}
