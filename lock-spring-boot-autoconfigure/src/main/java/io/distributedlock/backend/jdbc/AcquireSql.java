package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.LeaseRequest;

/**
 * The statements that take a lock, and those that look after one which is taken.
 */
final class AcquireSql {

	private final SqlSource source;

	private final AcquireStrategy strategy;

	private final SqlStatement mark;

	private final SqlStatement state;

	AcquireSql(SqlSource source) {
		this.source = source;
		this.strategy = source.dialect().acquireStrategy(source);
		this.mark = source.statement("mark");
		this.state = source.statement("state");
	}

	AcquireStrategy strategy() {
		return this.strategy;
	}

	/**
	 * Return what is asked for by the names that statements use.
	 * @param key the key
	 * @param request what to ask for
	 * @param pollAfter when a waiter asks again that is not told of the release
	 * @return the values
	 */
	Map<String, @Nullable Object> values(String key, LeaseRequest request, Duration pollAfter) {
		Long tick = (request.tick() != null) ? request.tick().toEpochMilli() : null;
		Map<String, @Nullable Object> values = new HashMap<>();
		values.put("key", this.source.key(key));
		values.put("owner", request.ownerId().value());
		values.put("instance", this.source.settings().instanceId());
		values.put("ttl", request.ttl().toMillis());
		values.put("span", (long) request.span());
		values.put("tick", tick);
		values.put("before", (tick != null) ? tick : Long.MAX_VALUE);
		values.put("waiting", request.waiting() ? 1L : 0L);
		values.put("mark", mark(pollAfter));
		return values;
	}

	/**
	 * Read the state of a lock and leave no trace.
	 * @param connection the connection
	 * @param key the key
	 * @return the row, or {@code null} where there is none
	 * @throws SQLException if the database complains
	 */
	@Nullable LockRow state(LockConnection connection, String key) throws SQLException {
		return read(connection, Map.of("key", this.source.key(key)));
	}

	@Nullable LockRow read(LockConnection connection, Map<String, @Nullable Object> values) throws SQLException {
		return connection.queryFirst(this.state, values, LockRow::grant);
	}

	/**
	 * Leave a waiter's mark, if the lock is taken.
	 * @param connection the connection
	 * @param key the key
	 * @param pollAfter when the waiter asks again that is not told of the release
	 * @return the row, or {@code null} where the lock is free
	 * @throws SQLException if the database complains
	 */
	@Nullable LockRow mark(LockConnection connection, String key, Duration pollAfter) throws SQLException {
		Map<String, @Nullable Object> values = Map.of("key", this.source.key(key), "mark", mark(pollAfter));
		if (this.source.dialect().has(Dialect.Trait.UPDATES_RETURN)) {
			return connection.queryFirst(this.mark, values, LockRow::state);
		}
		return connection.update(this.mark, values) ? read(connection, values) : null;
	}

	/**
	 * Return how long the mark of a waiter stays: if it is not notified of releases,
	 * until it polls again.
	 */
	private long mark(Duration pollAfter) {
		return (this.source.dialect().has(Dialect.Trait.NOTIFICATIONS) ? PollDelay.MARK : pollAfter).toMillis();
	}

}
