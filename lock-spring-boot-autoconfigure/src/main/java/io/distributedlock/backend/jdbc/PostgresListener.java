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
 * Listens by a connection of the PostgreSQL driver. Loaded only where that is there.
 */
final class PostgresListener implements ListeningConnection {

	private static final Logger logger = LoggerFactory.getLogger(PostgresListener.class);

	/**
	 * How long one wait for notifications lasts; a stop has to wait for its end.
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
	 * @param database gives connections
	 * @param executor a connection to try the other by
	 * @return the connection that listens
	 * @throws SQLException if there is none
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
	 * Try it by another connection, while this one does nothing: a proxy that shares
	 * connections may well deliver to its own speaker, but to no one who is silent.
	 */
	@Override
	public boolean isNotified() throws SQLException {
		// No stored key has a backslash before anything but a backslash or a zero.
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
			throw new SQLNonTransientConnectionException("It could not be tried whether notifications arrive", "08006");
		}
		return false;
	}

	/**
	 * Return how long one trial lasts. Behind a proxy it probably fails: all of them
	 * together then end before a call that waits for the result.
	 */
	private Duration trial() {
		Duration call = this.database.callTimeout();
		return this.connection.table().behindProxy() ? call.dividedBy(8) : call;
	}

	/**
	 * Let the server drop notifications that everybody has read: a full queue that is let
	 * be stays full, since the server only does this while notifications are added, or if
	 * it is asked for the queue's length.
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
		// What a firewall has dropped is as silent as an idle database.
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
			logger.debug("A connection that listened could not be told to stop", ex);
		}
		this.connection.close();
	}

}
