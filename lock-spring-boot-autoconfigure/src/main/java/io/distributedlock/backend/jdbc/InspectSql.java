package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockKeys;
import io.distributedlock.LockMode;
import io.distributedlock.spi.LockPage;

/**
 * Executes the statements with which administrators inspect and release locks. The table
 * of members is read only if a row says that its key has a group.
 *
 * @param connection the connection
 */
record InspectSql(LockConnection connection) {

	/**
	 * How often the forced release of a group is tried. Its members have changed each
	 * time.
	 */
	private static final int MOST_TRIES = 50;

	Optional<LockInfo> find(String key) throws SQLException {
		List<Row> rows = this.connection.query(table().statement("find"), Map.of("key", table().key(key)), this::row)
			.stream()
			.flatMap(Optional::stream)
			.toList();
		return holders(rows).stream().findFirst();
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
		return new LockPage(holders(ours), last ? null : ours.get(limit - 1).key());
	}

	/**
	 * Return the exclusive holders, and the members of groups.
	 * @param rows the rows of keys, in their order
	 */
	private List<LockInfo> holders(List<Row> rows) throws SQLException {
		List<Row> groups = rows.stream().filter((row) -> row.kind() != null).toList();
		Map<String, List<LockInfo>> members = groups.isEmpty() ? Map.of() : members(groups);
		List<LockInfo> holders = new ArrayList<>();
		for (Row row : rows) {
			row.info().ifPresent(holders::add);
			holders.addAll(members.getOrDefault(row.key(), List.of()));
		}
		return holders;
	}

	private Map<String, List<LockInfo>> members(List<Row> groups) throws SQLException {
		Map<String, GroupKind> kinds = new HashMap<>();
		groups.forEach((row) -> kinds.put(row.key(), row.kind()));
		Map<String, List<LockInfo>> members = new HashMap<>();
		new GateSql(this.connection).members(groups.get(0).key(), groups.get(groups.size() - 1).key(), (row) -> {
			Optional<String> key = table().key(row);
			GroupKind kind = key.map(kinds::get).orElse(null);
			return kind != null && members.computeIfAbsent(key.orElseThrow(), (absent) -> new ArrayList<>())
				.add(info(key.orElseThrow(), kind.mode(), row));
		});
		return members;
	}

	boolean forceRelease(String key, Duration cooldown) throws SQLException {
		long ends = LeaseRelease.ends(cooldown);
		Map<String, @Nullable Object> values = Map.of("key", table().key(key), "ends", ends);
		boolean released = table().notices()
			.send(table().statement("force-release"), (sql) -> this.connection.update(sql, values));
		return released || forceGroup(key, ends);
	}

	private boolean forceGroup(String key, long ends) throws SQLException {
		for (int tries = 0; tries < MOST_TRIES; tries++) {
			GateRow gate = new GateSql(this.connection).gate(key);
			if (gate != null && !gate.isKnown()) {
				throw LockRow.unknown(key, table().name(), gate.form());
			}
			GroupKind kind = (gate != null && gate.kind() != null && !gate.isFree()) ? GroupKind.of(gate.kind()) : null;
			if (kind == null) {
				return false;
			}
			if (GroupSql.on(this.connection).force(key, kind, ends)) {
				return true;
			}
			if (new GateSql(this.connection).members(key, key, (row) -> true).isEmpty()) {
				// Cooldowns have no owner.
				return false;
			}
		}
		throw new SQLException("The members of a group have changed each time it was forcibly released", "40001");
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
		if (key.isEmpty()) {
			return Optional.empty();
		}
		if (key.get().equals(JdbcJanitor.KEY)) {
			return Optional.of(new Row(key.get(), null, Optional.empty()));
		}
		long form = row.getLong("form");
		if (form != LockRow.FORMAT) {
			throw LockRow.unknown(key.get(), table().name(), form);
		}
		String kind = row.getString("kind");
		return Optional.of((kind != null) ? new Row(key.get(), GroupKind.of(kind), Optional.empty())
				: new Row(key.get(), null, Optional.of(info(key.get(), LockMode.EXCLUSIVE, row))));
	}

	private static LockInfo info(String key, LockMode mode, ResultSet row) throws SQLException {
		String instance = row.getString("instance");
		return new LockInfo(key, (instance != null) ? instance : "", mode, row.getLong("token"),
				Duration.ofMillis(row.getLong("age")), Duration.ofMillis(row.getLong("rest")));
	}

	/**
	 * A row under the prefix of this application.
	 *
	 * @param key the key
	 * @param kind the kind of the group on the key, if there is one that this version
	 * knows
	 * @param info the exclusive lock; empty for a group, and for the janitor's own lock,
	 * which is internal
	 */
	private record Row(String key, @Nullable GroupKind kind, Optional<LockInfo> info) {

		@Override
		public String toString() {
			return "Row[" + LockKeys.printable(this.key) + "]";
		}

	}

}
