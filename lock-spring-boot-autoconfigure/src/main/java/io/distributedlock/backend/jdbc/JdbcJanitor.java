package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * Deletes the rows of locks that have been unused for the retention. Tokens stay in
 * order, because new ones start at the current time, which is later than the deleted
 * ones. Each row is deleted by a statement of its own that checks the row again. The
 * janitor borrows a connection, so that renewals and releases never wait for it. One
 * instance at a time deletes rows, because it takes a lock and leaves it to expire.
 */
final class JdbcJanitor {

	private static final Logger logger = LoggerFactory.getLogger(JdbcJanitor.class);

	/**
	 * The key of the janitors' own lock. Applications can't use it, because it is blank.
	 */
	static final String KEY = " ";

	private static final int BATCH = 200;

	private static final Duration LONGEST_PERIOD = Duration.ofHours(1);

	private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(1);

	/**
	 * How many times longer than other statements the search may take, because it reads a
	 * whole table.
	 */
	private static final int SEARCH_FACTOR = 5;

	private final JdbcLockDatabase database;

	private final Executor workers;

	private final Duration period;

	// Guarded by the monitor of this object.
	private LockClock.@Nullable Timeout timer;

	// Used by one run at a time.
	private volatile boolean warned;

	// Set once, under the monitor; read between statements.
	private volatile boolean closed;

	JdbcJanitor(JdbcLockDatabase database, Executor workers) {
		this.database = database;
		this.workers = workers;
		this.period = period(database.settings().tokenRetention());
	}

	static Duration period(Duration retention) {
		Duration quarter = retention.dividedBy(4);
		if (quarter.compareTo(LONGEST_PERIOD) > 0) {
			return LONGEST_PERIOD;
		}
		return (quarter.compareTo(SHORTEST_PERIOD) < 0) ? SHORTEST_PERIOD : quarter;
	}

	/**
	 * Schedule the next run after about one period, with jitter.
	 */
	synchronized void schedule() {
		if (!this.closed) {
			double jitter = ThreadLocalRandom.current().nextDouble(0.75, 1.25);
			this.timer = this.database.clock()
				.schedule(Duration.ofNanos((long) (this.period.toNanos() * jitter)), this::due);
		}
	}

	private void due() {
		try {
			this.workers.execute(() -> {
				try {
					run();
				}
				finally {
					schedule();
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.trace("Stopped meanwhile", ex);
		}
	}

	/**
	 * Delete unused rows, unless another instance has done so recently.
	 * @return the number of deleted rows
	 */
	int run() {
		int deleted = 0;
		try (LockConnection connection = this.database.borrow()) {
			connection.timeouts().bound(this.database.callTimeout());
			if (!connection.table().dialect().has(Dialect.Trait.FORGETS) || !isTurn(connection)) {
				return 0;
			}
			forgetMembers(connection);
			List<String> keys = unused(connection, "");
			while (!keys.isEmpty()) {
				for (String key : keys) {
					deleted += (!this.closed && new RetentionSql(connection).forget(key)) ? 1 : 0;
				}
				keys = (keys.size() < BATCH) ? List.of() : unused(connection, keys.get(keys.size() - 1));
			}
		}
		catch (SQLException | RuntimeException ex) {
			report(this.database.explain(ex, TableAccess.FORGET));
		}
		if (deleted > 0) {
			logger.debug("Deleted the rows of {} unused locks", deleted);
		}
		return deleted;
	}

	/**
	 * Delete members that have expired and were not removed by a later one. A database
	 * without the table of members has none.
	 */
	private void forgetMembers(LockConnection connection) {
		RetentionSql sql = new RetentionSql(connection);
		try {
			List<RetentionSql.Member> expired = List.of();
			do {
				connection.timeouts().bound(this.database.callTimeout().multipliedBy(SEARCH_FACTOR));
				expired = this.closed ? List.of()
						: sql.expired(expired.isEmpty() ? "" : expired.get(expired.size() - 1).key(), BATCH);
				connection.timeouts().bound(this.database.callTimeout());
				for (RetentionSql.Member member : expired) {
					if (!this.closed) {
						sql.forget(member);
					}
				}
			}
			while (expired.size() == BATCH);
		}
		catch (SQLException ex) {
			logger.debug("Expired members could not be deleted this time", ex);
			connection.noteFault(ex);
		}
	}

	private void report(Throwable fault) {
		if (fault instanceof LockRefusedException && !this.warned) {
			this.warned = true;
			logger.warn("Rows of unused locks stay in the table: {}", fault.getMessage());
		}
		else {
			logger.debug("Rows of unused locks could not be deleted this time", fault);
		}
	}

	private boolean isTurn(LockConnection connection) throws SQLException {
		OwnerId owner = OwnerId.random();
		LeaseRequest request = new LeaseRequest(owner, this.period.dividedBy(2), 1, null, false,
				this.database.callTimeout(), Duration.ZERO);
		LockRow row = new AcquireSql(connection, KEY, request, Duration.ZERO).acquire();
		return row != null && owner.value().equals(row.owner());
	}

	private List<String> unused(LockConnection connection, String after) throws SQLException {
		if (this.closed) {
			return List.of();
		}
		connection.timeouts().bound(this.database.callTimeout().multipliedBy(SEARCH_FACTOR));
		List<String> keys = new RetentionSql(connection).unused(after, BATCH);
		connection.timeouts().bound(this.database.callTimeout());
		return keys;
	}

	synchronized void close() {
		this.closed = true;
		if (this.timer != null) {
			this.timer.cancel();
		}
	}

}
