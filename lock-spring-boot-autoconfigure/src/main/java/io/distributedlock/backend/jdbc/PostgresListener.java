package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.OwnerId;

/**
 * Listens on a connection of the PostgreSQL driver. Loaded only if that driver is
 * present.
 */
final class PostgresListener implements ListeningConnection {

	private static final Logger logger = LoggerFactory.getLogger(PostgresListener.class);

	/**
	 * How long one wait for notifications lasts. A stop has to wait for its end.
	 */
	private static final int SLICE_MILLIS = 250;

	private final LockConnection connection;

	private final PGConnection driver;

	private final JdbcLockDatabase database;

	private final DedicatedConnectionExecutor executor;

	private long heardAt;

	private PostgresListener(LockConnection connection, PGConnection driver, JdbcLockDatabase database,
			DedicatedConnectionExecutor executor) {
		this.connection = connection;
		this.driver = driver;
		this.database = database;
		this.executor = executor;
		this.heardAt = database.clock().nanoTime();
	}

	/**
	 * Borrow a connection and listen.
	 * @param database the source of connections
	 * @param executor has the connection that sends trial notifications
	 * @return the connection that listens
	 * @throws SQLException if no connection is available
	 */
	static PostgresListener open(JdbcLockDatabase database, DedicatedConnectionExecutor executor) throws SQLException {
		LockConnection connection = database.borrow();
		try {
			PGConnection driver = connection.connection().unwrap(PGConnection.class);
			connection.timeouts().bound(database.callTimeout());
			connection.update(connection.table().statement("listen"), Map.of());
			return new PostgresListener(connection, driver, database, executor);
		}
		catch (SQLException | RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	/**
	 * Send the trial notification from another connection while this one is idle. A proxy
	 * that shares connections may deliver notifications to the client that runs a
	 * statement, but not to an idle one.
	 */
	@Override
	public boolean isNotified() throws SQLException {
		// In stored keys, a backslash escapes only a backslash or a zero.
		String probe = "\\" + OwnerId.random().value();
		CompletableFuture<Boolean> sent = this.executor
			.submit((kept) -> kept.run(this.database.callTimeout(),
					(each) -> each.update(each.table().statement("notify"), Map.of("payload", probe))))
			.toCompletableFuture();
		for (long slices = trial().toMillis() / SLICE_MILLIS; slices >= 0;) {
			List<String> received = receive();
			if (received.contains(probe)) {
				return true;
			}
			if (sent.isCompletedExceptionally()) {
				makeRoom(sent);
				break;
			}
			slices -= received.isEmpty() ? 1 : 0;
		}
		if (!sent.isDone() || sent.isCompletedExceptionally()) {
			throw new SQLNonTransientConnectionException("It could not be tested whether notifications arrive",
					"08006");
		}
		return false;
	}

	/**
	 * Return how long one trial lasts. Behind a proxy trials probably fail. All of them
	 * together then end before a call that waits for the result.
	 */
	private Duration trial() {
		Duration call = this.database.callTimeout();
		return this.connection.table().behindProxy() ? call.dividedBy(8) : call;
	}

	/**
	 * Make the server drop notifications that all listeners have read. Otherwise a full
	 * queue would stay full, because the server does this only while notifications are
	 * added, or when the length of its queue is queried.
	 */
	private void makeRoom(CompletableFuture<Boolean> sent) throws SQLException {
		Throwable fault = sent.handle((answer, failure) -> failure).join();
		if (fault != null && SqlFaults.isNoticeRefused(fault)) {
			this.connection.update(this.connection.table().statement("make-room"), Map.of());
		}
	}

	@Override
	public List<String> receive() throws SQLException {
		@Nullable PGNotification[] notifications = this.driver.getNotifications(SLICE_MILLIS);
		if (notifications != null && notifications.length > 0) {
			this.heardAt = this.database.clock().nanoTime();
			return Arrays.stream(notifications).map(PGNotification::getParameter).toList();
		}
		// A connection that a firewall has dropped is as silent as one to an idle
		// database.
		if (this.database.clock().nanoTime() - this.heardAt > this.database.callTimeout().toNanos()
				|| this.database.silent().isSuspect(this.heardAt)) {
			if (!this.connection.isFit(this.database.callTimeout())) {
				this.database.silent().reportSilence(this.database.clock());
				throw new SQLNonTransientConnectionException("The connection for notifications is broken", "08006");
			}
			this.heardAt = this.database.clock().nanoTime();
		}
		return List.of();
	}

	@Override
	public void close() {
		try {
			this.connection.update(this.connection.table().statement("unlisten"), Map.of());
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A connection could not stop listening for releases", ex);
		}
		this.connection.close();
	}

}
