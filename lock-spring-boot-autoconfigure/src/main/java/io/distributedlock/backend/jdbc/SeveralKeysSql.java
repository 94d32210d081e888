package io.distributedlock.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;

/**
 * Executes the statements that take several exclusive locks together, in a database that
 * accepts arrays.
 */
final class SeveralKeysSql implements TakeSql {

	private final LockConnection connection;

	private final LockTable table;

	private final List<String> keys;

	private final LeaseRequest request;

	/**
	 * Create the statements.
	 * @param connection the connection
	 * @param keys the keys, in their order
	 * @param request the request
	 */
	SeveralKeysSql(LockConnection connection, List<String> keys, LeaseRequest request) {
		this.connection = connection;
		this.table = connection.table();
		this.keys = keys;
		this.request = request;
	}

	@Override
	public @Nullable LockRows acquire() throws SQLException {
		Instant tick = this.request.tick();
		Map<String, @Nullable Object> values = values();
		values.put("last", this.table.key(this.keys.get(this.keys.size() - 1)));
		values.put("owner", this.request.ownerId().value());
		values.put("instance", this.table.settings().instanceId());
		values.put("ttl", this.request.ttl().toMillis());
		values.put("span", (long) this.request.span());
		values.put("tick", (tick != null) ? tick.toEpochMilli() : null);
		values.put("before", (tick != null) ? tick.toEpochMilli() : Long.MAX_VALUE);
		values.put("past", LeaseRelease.OVER.toMillis());
		Map<String, LockRow> rows = new HashMap<>();
		try (PreparedStatement statement = this.connection.prepare(this.table.statement("acquire-all"), values)) {
			// The first result is the number of rows that were created.
			statement.execute();
			statement.getMoreResults();
			try (ResultSet granted = statement.getResultSet()) {
				while (granted.next()) {
					rows.put(this.keys.get(granted.getInt("place") - 1),
							LockRow.granted(this.request, granted.getLong("token")));
				}
			}
		}
		return rows.isEmpty() ? null : new LockRows(this.keys, rows);
	}

	@Override
	public @Nullable LockRows state() throws SQLException {
		return query("state-all", values(), LockRow::grant);
	}

	@Override
	public @Nullable LockRows mark(Duration pollAfter, boolean notified) throws SQLException {
		Map<String, @Nullable Object> values = values();
		values.put("mark", TakeSql.mark(this.table.dialect(), pollAfter, notified));
		return query("mark-all", values, LockRow::state);
	}

	private @Nullable LockRows query(String name, Map<String, @Nullable Object> values,
			SqlFunction<ResultSet, LockRow> mapper) throws SQLException {
		Map<String, LockRow> rows = new HashMap<>();
		this.connection.query(this.table.statement(name), values,
				(row) -> rows.put(this.table.key(row).orElseThrow(), mapper.apply(row)));
		return rows.isEmpty() ? null : new LockRows(this.keys, rows);
	}

	private Map<String, @Nullable Object> values() throws SQLException {
		Map<String, @Nullable Object> values = new HashMap<>();
		values.put("keys",
				this.connection.connection().createArrayOf("text", this.keys.stream().map(this.table::key).toArray()));
		return values;
	}

}
