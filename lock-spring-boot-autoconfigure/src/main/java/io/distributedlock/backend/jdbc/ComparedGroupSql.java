package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;

/**
 * Changes members by one statement each. Its parts see the members as they were when it
 * began, though it may have waited for the row of the key since. So each change raises
 * the token of the row, and what depends on other members counts only if that token has
 * not changed meanwhile.
 */
final class ComparedGroupSql extends GroupSql {

	private static final Logger logger = LoggerFactory.getLogger(ComparedGroupSql.class);

	/**
	 * How often a statement is repeated whose members have changed. Another client got
	 * ahead each time.
	 */
	private static final int MOST_TRIES = 50;

	/**
	 * For how long the waiters that have closed a group have the free key to themselves.
	 * They are notified at its beginning.
	 */
	private static final Duration DOOR = Duration.ofMillis(100);

	/**
	 * The same if they may have to poll.
	 */
	private static final Duration LONG_DOOR = Duration.ofSeconds(1);

	ComparedGroupSql(LockConnection connection) {
		super(connection);
	}

	@Override
	@Nullable Long enter(LockTarget target, LeaseRequest request) throws SQLException {
		return connection().queryFirst(statement("enter"), values(target, request), (row) -> row.getLong(1));
	}

	@Override
	void createRow(String key) {
		// The entry does it.
	}

	@Override
	LeaseStatus leave(Map<String, @Nullable Object> values, boolean cools) throws SQLException {
		values.put("door", door());
		List<Left> left = table().notices()
			.send(statement("leave"), (sql) -> connection().query(sql, values,
					(row) -> new Left(LeaseStatus.of(row), row.getBoolean("settled"))));
		if (left.isEmpty()) {
			return LeaseStatus.GONE;
		}
		if (!left.get(0).settled()) {
			settle(values);
		}
		return left.get(0).status();
	}

	/**
	 * Let the row of a key expire with the latest member, after a change that could not
	 * do that itself. The change is valid in any case. If this fails, the key stays taken
	 * for longer than necessary.
	 */
	private void settle(Map<String, @Nullable Object> values) {
		values.put("ends", LeaseRelease.OVER.toMillis());
		try {
			for (int tries = 0; tries < MOST_TRIES && isUnsettled(values); tries++) {
				logger.trace("Members have changed again");
			}
		}
		catch (SQLException ex) {
			logger.debug("The expiry of a group could not be brought nearer", ex);
			connection().noteFault(ex);
		}
	}

	private boolean isUnsettled(Map<String, @Nullable Object> values) throws SQLException {
		return table().notices()
			.send(statement("settle"), (sql) -> connection().query(sql, values, (row) -> row.getBoolean("settled")))
			.contains(false);
	}

	private long door() {
		boolean notified = table().settings().notifications() == JdbcLockSettings.Notifications.AUTO
				&& !table().behindProxy();
		return (notified ? DOOR : LONG_DOOR).toMillis();
	}

	@Override
	List<LeaseStatus> renew(List<Renewal> renewals) throws SQLException {
		LeaseStatus[] statuses = new LeaseStatus[renewals.size()];
		Arrays.fill(statuses, LeaseStatus.GONE);
		connection().query(statement("renew-members"), arrays(renewals),
				(row) -> statuses[row.getInt("place") - 1] = LeaseStatus.of(row));
		for (int i = 0; i < statuses.length; i++) {
			if (!statuses[i].stands()) {
				// If its release came in between, the row was lengthened for nothing.
				Map<String, @Nullable Object> values = values(renewals.get(i));
				values.put("door", door());
				settle(values);
			}
		}
		return Arrays.asList(statuses);
	}

	private Map<String, @Nullable Object> arrays(List<Renewal> renewals) throws SQLException {
		Map<String, @Nullable Object> arrays = new HashMap<>();
		List<Map<String, @Nullable Object>> values = new ArrayList<>();
		renewals.forEach((renewal) -> values.add(values(renewal)));
		arrays.put("keys", array("text", values, (each) -> each.get("key")));
		arrays.put("owners", array("text", values, (each) -> each.get("owner")));
		arrays.put("kinds", array("text", values, (each) -> each.get("kind")));
		arrays.put("ttls", array("int8", values, (each) -> each.get("ttl")));
		return arrays;
	}

	private Object array(String type, List<Map<String, @Nullable Object>> values,
			Function<Map<String, @Nullable Object>, @Nullable Object> element) throws SQLException {
		return connection().connection().createArrayOf(type, values.stream().map(element).toArray());
	}

	@Override
	boolean force(String key, GroupKind kind, long ends) throws SQLException {
		Map<String, @Nullable Object> values = values(LockTarget.of(key, kind.mode()), "");
		values.put("ends", ends);
		return !table().notices()
			.send(statement("force-group"), (sql) -> connection().query(sql, values, (row) -> true))
			.isEmpty();
	}

	/**
	 * The result of the end of a lease.
	 *
	 * @param status the status of the lease
	 * @param settled whether the row of the key expires with the latest of the others
	 */
	private record Left(LeaseStatus status, boolean settled) {
	}

}
