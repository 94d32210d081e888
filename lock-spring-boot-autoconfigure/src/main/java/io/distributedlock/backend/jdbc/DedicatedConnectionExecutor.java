package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.StoreThreads;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.spi.LockClock;

/**
 * Runs tasks on one worker with a connection that is borrowed once and kept. Leases can
 * then be renewed and released while the application has exhausted the pool. The
 * connection is replaced if it breaks, or if its database has become read-only, as a
 * former primary does.
 */
final class DedicatedConnectionExecutor {

	private static final Logger logger = LoggerFactory.getLogger(DedicatedConnectionExecutor.class);

	/**
	 * The idle time after which the connection is validated before its next use, because
	 * firewalls drop idle connections.
	 */
	private static final Duration IDLE = Duration.ofSeconds(20);

	/**
	 * A connection that was reset fails immediately. One that takes longer than this to
	 * be found broken is silent.
	 */
	private static final Duration AT_ONCE = Duration.ofMillis(250);

	/**
	 * How many broken connections in a row are accepted from a pool that has not noticed
	 * the fault yet.
	 */
	private static final int MOST_TRIES = 20;

	private final JdbcLockDatabase database;

	private final LockClock clock;

	private final ThreadPoolExecutor worker;

	private final AtomicBoolean probing = new AtomicBoolean();

	// Both fields are used only by the worker, whose tasks run one after another.
	private @Nullable LockConnection connection;

	private long usedAt;

	DedicatedConnectionExecutor(String name, JdbcLockDatabase database) {
		this.database = database;
		this.clock = database.clock();
		this.worker = StoreThreads.named(name, 1);
	}

	/**
	 * Borrow the connection in the background, before it is needed. If the database is
	 * down, it is borrowed later.
	 */
	void open() {
		execute(() -> {
			try {
				connection();
			}
			catch (SQLException | RuntimeException ex) {
				logger.debug("No connection to keep for locks yet", ex);
			}
		});
	}

	/**
	 * Check in the background whether the connection has fallen silent, because another
	 * one gave no answer.
	 */
	void probe() {
		if (this.probing.compareAndSet(false, true) && !execute(this::tryConnection)) {
			this.probing.set(false);
		}
	}

	private void tryConnection() {
		try {
			dropIfSuspect();
			LockConnection current = this.connection;
			if (current != null && isFit(current)) {
				this.usedAt = this.clock.nanoTime();
			}
			else {
				drop();
			}
		}
		catch (SQLException | RuntimeException ex) {
			drop();
			logger.debug("The kept connection could not be tried", ex);
		}
		finally {
			this.probing.set(false);
		}
	}

	/**
	 * Run work for one call.
	 * @param <T> the type of the answer
	 * @param work the work, which runs on the worker with this executor
	 * @return the answer
	 */
	<T> CompletionStage<T> submit(SqlFunction<DedicatedConnectionExecutor, T> work) {
		return this.database.call(this.worker, TableAccess.CHANGE, (call) -> {
			connection();
			return call.send() && call.complete(work.apply(this));
		});
	}

	/**
	 * Run a task on the worker.
	 * @param task the task
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

	/**
	 * Return the kept connection, or borrow another one if it is missing or broken.
	 * Borrowed connections are checked, too, because a pool may not have noticed yet that
	 * they broke. To be called on the worker.
	 * @return the connection
	 * @throws SQLException if no connection is available
	 */
	LockConnection connection() throws SQLException {
		dropIfSuspect();
		LockConnection current = this.connection;
		if (current != null && this.clock.nanoTime() - this.usedAt <= IDLE.toNanos()) {
			return current;
		}
		for (int tries = 0; current == null || !isFit(current); tries++) {
			drop();
			if (tries == MOST_TRIES) {
				throw new SQLNonTransientConnectionException("All connections of the pool are broken", "08003");
			}
			current = this.database.borrow();
			this.connection = current;
		}
		this.usedAt = this.clock.nanoTime();
		return current;
	}

	/**
	 * Drop the connection without a check if another one has fallen silent since its last
	 * answer. A check might take the whole call timeout.
	 */
	private void dropIfSuspect() {
		LockConnection current = this.connection;
		if (current != null && this.database.silent().isSuspect(this.usedAt)) {
			current.breakOff();
			drop();
		}
	}

	private boolean isFit(LockConnection current) throws SQLException {
		long askedAt = this.clock.nanoTime();
		boolean fit = current.isFit(this.database.callTimeout());
		if (!fit && this.clock.nanoTime() - askedAt >= AT_ONCE.toNanos()) {
			this.database.silent().reportSilence(this.clock);
		}
		return fit;
	}

	/**
	 * Run work on the connection, and repeat it if the database rolled it back because of
	 * a conflict. To be called on the worker.
	 * @param <T> the type of the result
	 * @param timeout how long each statement may take
	 * @param work the work
	 * @return its result
	 * @throws SQLException if it failed
	 */
	<T> T run(Duration timeout, SqlFunction<LockConnection, T> work) throws SQLException {
		LockConnection current = connection();
		try {
			current.timeouts().bound(timeout);
			T result = current.run(CallDeadline.in(timeout, this.clock), work);
			this.usedAt = this.clock.nanoTime();
			return result;
		}
		catch (SQLException | RuntimeException ex) {
			current.noteFault(ex);
			if (SqlFaults.isSilence(ex)) {
				this.database.silent().reportSilence(this.clock);
			}
			if (!SqlFaults.isRefused(ex) || SqlFaults.isReadOnly(ex)) {
				drop();
			}
			throw ex;
		}
	}

	private void drop() {
		LockConnection current = this.connection;
		this.connection = null;
		if (current != null) {
			current.close();
		}
	}

	/**
	 * Return the connection to the pool after the tasks that were submitted before, and
	 * end.
	 */
	void close() {
		execute(this::drop);
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
