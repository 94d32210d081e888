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
 * Deletes the rows of locks that nobody has used for the retention. Tokens stay in order:
 * time, which new ones start at, has passed the old ones by. Each row is deleted by a
 * statement of its own that looks again, on a connection of its own, so that nobody waits
 * for it. Of all instances one at a time does this, by a lock that it leaves to run out.
 */
final class JdbcJanitor {

	private static final Logger logger = LoggerFactory.getLogger(JdbcJanitor.class);

	/**
	 * The key of the janitors' own lock. No application can have it: it is blank.
	 */
	static final String KEY = " ";

	private static final int BATCH = 200;

	private static final Duration LONGEST_PERIOD = Duration.ofHours(1);

	private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(1);

	/**
	 * How much longer than a call to a single row the search may take, which reads a
	 * whole table.
	 */
	private static final int SEARCH_FACTOR = 5;

	private final JdbcLockDatabase database;

	private final Executor workers;

	private final Duration period;

	// Guarded by the monitor of this object.
	private LockClock.@Nullable Timeout timer;

	// One run follows the other.
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
	 * Begin to look from time to time; for the first time after most of a period.
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
	 * Delete what has not been used for long, unless another instance has done so lately.
	 * @return how many rows were deleted
	 */
	int run() {
		int deleted = 0;
		try (LockConnection connection = this.database.borrow()) {
			connection.timeouts().bound(this.database.callTimeout());
			if (!connection.table().dialect().has(Dialect.Trait.FORGETS) || !isTurn(connection)) {
				return 0;
			}
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
			logger.debug("{} locks that nobody has used for long are forgotten", deleted);
		}
		return deleted;
	}

	private void report(Throwable fault) {
		if (fault instanceof LockRefusedException && !this.warned) {
			this.warned = true;
			logger.warn("Rows of locks that nobody uses stay in the table: {}", fault.getMessage());
		}
		else {
			logger.debug("Locks that nobody uses could not be forgotten this time", fault);
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
