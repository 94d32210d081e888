package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.StoreThreads;
import io.distributedlock.spi.LockClock;

/**
 * One worker with a connection that it keeps, for what must not wait behind the
 * application's use of the pool.
 */
final class DedicatedConnectionExecutor {

	private static final Logger logger = LoggerFactory.getLogger(DedicatedConnectionExecutor.class);

	private final JdbcLockDatabase database;

	private final PinnedConnection connection;

	private final ThreadPoolExecutor worker;

	private final AtomicBoolean probing = new AtomicBoolean();

	DedicatedConnectionExecutor(String name, JdbcLockDatabase database, LockClock clock) {
		this.database = database;
		this.connection = new PinnedConnection(database, clock);
		this.worker = StoreThreads.named(name, 1);
	}

	/**
	 * Borrow the connection in the background, before it is needed. Where the database is
	 * down it is borrowed later.
	 */
	void open() {
		execute(() -> {
			try {
				this.connection.open();
			}
			catch (SQLException | RuntimeException ex) {
				logger.debug("No connection to keep for locks yet", ex);
			}
		});
	}

	/**
	 * Try whether the connection still gives answers, since another one did not. Returns
	 * at once.
	 */
	void probe() {
		if (this.probing.compareAndSet(false, true) && !execute(this::tryConnection)) {
			this.probing.set(false);
		}
	}

	private void tryConnection() {
		try {
			this.connection.probe();
		}
		catch (SQLException | RuntimeException ex) {
			this.connection.drop();
			logger.debug("The kept connection could not be tried", ex);
		}
		finally {
			this.probing.set(false);
		}
	}

	Duration callTimeout() {
		return this.database.callTimeout();
	}

	/**
	 * Run something for one call.
	 * @param <T> its answer
	 * @param work what to run on the pinned connection
	 * @return the answer
	 */
	<T> CompletionStage<T> submit(SqlFunction<PinnedConnection, T> work) {
		return this.database.call(this.worker, TableAccess.CHANGE, (call) -> {
			this.connection.open();
			return call.send() && call.complete(work.apply(this.connection));
		});
	}

	/**
	 * Run something on the worker.
	 * @param task what to run
	 * @return {@code false} if this executor is closed
	 */
	boolean execute(Runnable task) {
		try {
			this.worker.execute(task);
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
	}

	PinnedConnection connection() {
		return this.connection;
	}

	Throwable explain(Throwable fault) {
		return this.database.explain(fault, TableAccess.CHANGE);
	}

	/**
	 * Give the connection back when what was begun is done, and end.
	 */
	void close() {
		execute(this.connection::drop);
		this.worker.shutdown();
	}

	/**
	 * Wait for the end after {@link #close()}.
	 * @param timeout how long to wait at most
	 */
	void awaitEnd(Duration timeout) {
		awaitEnd(this.worker, timeout);
	}

	static void awaitEnd(ThreadPoolExecutor workers, Duration timeout) {
		if (!StoreThreads.awaitEnd(workers, timeout)) {
			logger.warn("A call to the database of the locks is still under way {} ms after the stop",
					timeout.toMillis());
		}
	}

}
