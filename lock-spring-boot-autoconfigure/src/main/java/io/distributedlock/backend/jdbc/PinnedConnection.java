package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.spi.LockClock;

/**
 * A connection that is borrowed once and kept, so that leases can be renewed and released
 * while the pool is empty. It is replaced when it broke, or when its database has become
 * read-only, as the former primary does.
 */
final class PinnedConnection {

	/**
	 * After how long without use the connection is tried before it is used: firewalls
	 * drop those that are idle.
	 */
	private static final Duration IDLE = Duration.ofSeconds(20);

	/**
	 * What is reset says so at once; what takes longer to be found broken is silent.
	 */
	private static final Duration AT_ONCE = Duration.ofMillis(250);

	/**
	 * How many broken connections in a row a pool may give out that has not noticed yet.
	 */
	private static final int MOST_TRIES = 20;

	private final JdbcLockDatabase database;

	private final LockClock clock;

	// Both fields belong to the only worker of an executor, whose tasks run one after
	// another.
	private @Nullable LockConnection connection;

	private long usedAt;

	PinnedConnection(JdbcLockDatabase database, LockClock clock) {
		this.database = database;
		this.clock = clock;
	}

	/**
	 * Connect, unless it is connected and fit. A pool may not have noticed yet that its
	 * connections broke.
	 * @return the connection
	 * @throws SQLException if there is none
	 */
	LockConnection open() throws SQLException {
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
	 * Drop the connection without a look at it if another one has fallen silent since its
	 * last answer: to ask it might take the whole call time-out.
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
	 * Find out whether the connection has fallen silent, since there is reason to think
	 * so.
	 * @throws SQLException if it is broken in another way
	 */
	void probe() throws SQLException {
		dropIfSuspect();
		LockConnection current = this.connection;
		if (current == null) {
			return;
		}
		if (isFit(current)) {
			this.usedAt = this.clock.nanoTime();
		}
		else {
			drop();
		}
	}

	/**
	 * Run something on the connection, and again if the database rolled it back for the
	 * sake of others.
	 * @param timeout how long each statement may take
	 * @param work what to run
	 * @return its result
	 * @throws SQLException if it failed
	 */
	<T> T run(Duration timeout, SqlFunction<LockConnection, T> work) throws SQLException {
		LockConnection current = open();
		try {
			current.bound(timeout);
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

	void drop() {
		LockConnection current = this.connection;
		this.connection = null;
		if (current != null) {
			current.close();
		}
	}

}
