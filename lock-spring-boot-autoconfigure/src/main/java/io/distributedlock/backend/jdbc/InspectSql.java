package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockKeys;
import io.distributedlock.LockMode;
import io.distributedlock.spi.LockPage;

/**
 * Executes the statements with which administrators inspect and release locks.
 *
 * @param connection the connection
 */
record InspectSql(LockConnection connection) {

	Optional<LockInfo> find(String key) throws SQLException {
		return this.connection.query(table().statement("find"), Map.of("key", table().key(key)), this::row)
			.stream()
			.flatMap(Optional::stream)
			.flatMap((row) -> row.info().stream())
			.findFirst();
	}

	/**
	 * List locks in the order of the bytes of their keys, in which all keys of a prefix
	 * stand together.
	 */
	LockPage list(@Nullable String next, int limit) throws SQLException {
		List<Optional<Row>> rows = this.connection.query(table().statement("list"),
				Map.of("after", table().key((next != null) ? next : "")), limit, this::row);
		List<Row> ours = rows.stream().takeWhile(Optional::isPresent).flatMap(Optional::stream).toList();
		boolean last = ours.size() < limit;
		return new LockPage(ours.stream().flatMap((row) -> row.info().stream()).toList(),
				last ? null : ours.get(limit - 1).key());
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

	/**
	 * Read a row.
	 * @return the row, or empty if it belongs to an application with another prefix
	 */
	private Optional<Row> row(ResultSet row) throws SQLException {
		Optional<String> key = table().key(row);
		return key.isEmpty() ? Optional.empty() : Optional.of(new Row(key.get(), info(key.get(), row)));
	}

	private Optional<LockInfo> info(String key, ResultSet row) throws SQLException {
		if (key.equals(JdbcJanitor.KEY)) {
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

	/**
	 * A row under the prefix of this application.
	 *
	 * @param key the key
	 * @param info the lock, or empty for the janitor's own one, which is internal
	 */
	private record Row(String key, Optional<LockInfo> info) {

		@Override
		public String toString() {
			return "Row[" + LockKeys.printable(this.key) + "]";
		}

	}

}
