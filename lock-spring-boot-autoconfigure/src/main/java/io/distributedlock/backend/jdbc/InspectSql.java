package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;

/**
 * Executes the statements with which administrators inspect and release locks.
 *
 * @param connection the connection
 */
record InspectSql(LockConnection connection) {

	Optional<LockInfo> find(String key) throws SQLException {
		return read("find", Map.of("key", table().key(key))).stream().findFirst();
	}

	List<LockInfo> list() throws SQLException {
		return read("list", Map.of());
	}

	boolean forceRelease(String key, Duration cooldown) throws SQLException {
		Map<String, @Nullable Object> values = Map.of("key", table().key(key), "ends", LeaseRelease.ends(cooldown));
		boolean released = table().notices()
			.send(table().statement("force-release"), (sql) -> this.connection.update(sql, values));
		if (released) {
			return true;
		}
		LockRow row = this.connection.queryFirst(table().statement("state"), values, LockRow::grant);
		if (row != null && !row.isKnown()) {
			throw LockRow.unknown(key, table().name(), row.form());
		}
		return false;
	}

	private LockTable table() {
		return this.connection.table();
	}

	private List<LockInfo> read(String name, Map<String, @Nullable Object> values) throws SQLException {
		return this.connection.query(table().statement(name), values, this::info)
			.stream()
			.flatMap(Optional::stream)
			.toList();
	}

	private Optional<LockInfo> info(ResultSet row) throws SQLException {
		String key = table().key(row).orElse(JdbcJanitor.KEY);
		if (key.equals(JdbcJanitor.KEY)) {
			// Other applications may keep locks under other prefixes. The janitor's own
			// lock is internal.
			return Optional.empty();
		}
		long form = row.getLong("form");
		if (form != LockRow.FORMAT) {
			throw LockRow.unknown(key, table().name(), form);
		}
		String instance = row.getString("instance");
		return Optional.of(new LockInfo(key, (instance != null) ? instance : "", LockMode.EXCLUSIVE,
				row.getLong("token"), Duration.ofMillis(row.getLong("age")), Duration.ofMillis(row.getLong("rest"))));
	}

}
