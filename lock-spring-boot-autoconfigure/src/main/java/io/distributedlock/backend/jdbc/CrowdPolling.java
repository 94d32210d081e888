package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.LockClock;

/**
 * Polls for all waiters of this JVM together if there are many. One statement looks at up
 * to 200 keys, and only the waiters for free locks attempt to take them. A few waiters
 * poll by their own attempts, which saves a round trip if the lock is free.
 * <p>
 * Each watched key is looked at no later than its waiter would poll by itself. It may be
 * looked at from half of that time on, so that the keys fall into step and share
 * statements. A waiter is woken if its lock is free. It is also woken if the look fails,
 * so that its own attempt finds the fault.
 */
final class CrowdPolling {

	private static final Logger logger = LoggerFactory.getLogger(CrowdPolling.class);

	/**
	 * The number of waiting contenders from which their keys are watched.
	 */
	static final int CROWD = 8;

	/**
	 * The longest time after which a watched waiter attempts by itself.
	 */
	static final Duration LATEST = Duration.ofMinutes(1);

	private final JdbcLockDatabase database;

	private final Executor workers;

	private final PollDelay pollDelay = new PollDelay();

	// Not guarded by the monitor, because every contender that is granted a lock leaves
	// this set.
	private final Set<Object> waiting = ConcurrentHashMap.newKeySet();

	// The monitor of this object guards the fields below. Statements run, and waiters are
	// woken, outside it, by one worker at a time.
	private final Set<Watch> watches = new HashSet<>();

	private LockClock.@Nullable Timeout timer;

	private long timerAt;

	// Whether a look is under way.
	private boolean looking;

	private boolean closed;

	/**
	 * Create the polling.
	 * @param database the database
	 * @param workers run the statements
	 */
	CrowdPolling(JdbcLockDatabase database, Executor workers) {
		this.database = database;
		this.workers = workers;
	}

	/**
	 * Watch a key for a contender whose attempt found it busy, if many contenders wait.
	 * @param contender the contender, which counts as waiting from now on
	 * @param key the key
	 * @param pollAfter the delay before the contender would attempt again
	 * @param wakeUp makes it attempt
	 * @return the watch, or {@code null} if the contender has to poll by itself
	 */
	synchronized @Nullable Watch watch(Object contender, String key, Duration pollAfter, Runnable wakeUp) {
		this.waiting.add(contender);
		if (this.closed || this.waiting.size() < CROWD) {
			return null;
		}
		Watch watch = new Watch(key, wakeUp);
		watch.lookAfter(this.database.clock().nanoTime(), pollAfter);
		this.watches.add(watch);
		schedule();
		return watch;
	}

	synchronized void unwatch(Watch watch) {
		this.watches.remove(watch);
	}

	/**
	 * Remove a contender that may have been waiting.
	 */
	void leave(Object contender) {
		this.waiting.remove(contender);
	}

	private void schedule() {
		if (this.closed || this.looking || this.watches.isEmpty()) {
			return;
		}
		long now = this.database.clock().nanoTime();
		long next = now + this.watches.stream().mapToLong((watch) -> watch.latest - now).min().orElseThrow();
		if (this.timer != null) {
			if (this.timerAt - next <= 0) {
				return;
			}
			this.timer.cancel();
		}
		this.timerAt = next;
		this.timer = this.database.clock().schedule(Duration.ofNanos(Math.max(0, next - now)), this::due);
	}

	private void due() {
		List<Watch> due;
		synchronized (this) {
			this.timer = null;
			if (this.closed || this.looking) {
				return;
			}
			this.looking = true;
			long now = this.database.clock().nanoTime();
			due = this.watches.stream().filter((watch) -> watch.earliest - now <= 0).toList();
		}
		// The time of the look starts here, because a worker may wait for the pool far
		// longer. A look that takes too long ends for all keys, and its late results are
		// not used.
		this.database
			.call(this.workers, TableAccess.READ,
					(StoreCall<List<Watch>> look) -> look.send() && look.complete(due.isEmpty() ? due : look(due)))
			.whenComplete((over, fault) -> {
				if (fault != null) {
					logger.debug("Locks could not be polled together", fault);
				}
				end((fault != null) ? due : over);
			});
	}

	/**
	 * Wake the waiters whose watches are over.
	 */
	private void end(List<Watch> over) {
		synchronized (this) {
			this.looking = false;
			this.watches.removeAll(Set.copyOf(over));
			schedule();
		}
		over.forEach(Watch::wakeUp);
	}

	/**
	 * Look at keys.
	 * @return the watches that are over
	 */
	private List<Watch> look(List<Watch> due) throws SQLException {
		List<Watch> over = new ArrayList<>();
		try (LockConnection connection = this.database.borrow()) {
			try {
				for (int from = 0; from < due.size(); from += ManyKeysSql.MOST) {
					connection.timeouts().bound(this.database.callTimeout());
					lookAt(connection, due.subList(from, Math.min(due.size(), from + ManyKeysSql.MOST)), over);
				}
			}
			catch (SQLException | RuntimeException ex) {
				connection.noteFault(ex);
				throw ex;
			}
		}
		return over;
	}

	private void lookAt(LockConnection connection, List<Watch> part, List<Watch> over) throws SQLException {
		Map<String, ManyKeysSql.Look> looks = new ManyKeysSql(connection)
			.look(part.stream().map((watch) -> watch.key).toList());
		// Grouped by the approximate length of the delays, because a mark contains the
		// time when its waiter polls again.
		Map<Integer, List<Watch>> busy = new TreeMap<>();
		long now = this.database.clock().nanoTime();
		for (Watch watch : part) {
			ManyKeysSql.Look look = looks.get(watch.key);
			if (look == null || look.rest() <= 0) {
				over.add(watch);
				continue;
			}
			Duration pause = this.pollDelay.ofAge(Duration.ofMillis(Math.max(0, look.age())));
			Duration rest = Duration.ofMillis(look.rest());
			Duration pollAfter = (pause.compareTo(rest) < 0) ? pause : rest;
			synchronized (this) {
				watch.lookAfter(now, pollAfter);
			}
			busy.computeIfAbsent(Long.numberOfTrailingZeros(Long.highestOneBit(pollAfter.toMillis() + 1)),
					(absent) -> new ArrayList<>())
				.add(watch);
		}
		if (!connection.table().dialect().has(Dialect.Trait.NOTIFICATIONS)) {
			mark(connection, busy);
		}
	}

	private static void mark(LockConnection connection, Map<Integer, List<Watch>> busy) throws SQLException {
		for (Map.Entry<Integer, List<Watch>> each : busy.entrySet()) {
			try {
				new ManyKeysSql(connection).mark(each.getValue().stream().map((watch) -> watch.key).toList(),
						Duration.ofMillis(2L << each.getKey()));
			}
			catch (SQLException ex) {
				if (!SqlFaults.isTransient(ex)) {
					throw ex;
				}
				// Other clients have changed the rows meanwhile. The next look marks them
				// again.
				logger.trace("Waiters could not leave their marks", ex);
			}
		}
	}

	synchronized void close() {
		this.closed = true;
		this.watches.clear();
		this.waiting.clear();
		if (this.timer != null) {
			this.timer.cancel();
		}
	}

	/**
	 * A key that is watched for one contender. No two watches are equal.
	 */
	static final class Watch {

		private final String key;

		private final Runnable wakeUp;

		// Both are guarded by the monitor of the polling.
		private long earliest;

		private long latest;

		private Watch(String key, Runnable wakeUp) {
			this.key = key;
			this.wakeUp = wakeUp;
		}

		private void lookAfter(long now, Duration pollAfter) {
			this.earliest = now + pollAfter.toNanos() / 2;
			this.latest = now + pollAfter.toNanos();
		}

		private void wakeUp() {
			try {
				this.wakeUp.run();
			}
			catch (RuntimeException ex) {
				logger.warn("A waiter for a lock could not be woken", ex);
			}
		}

	}

}
