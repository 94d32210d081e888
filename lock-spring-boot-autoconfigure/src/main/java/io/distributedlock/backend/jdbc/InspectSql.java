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
 * The statements for people who look at locks.
 */
final class InspectSql {

	private final SqlSource source;

	private final SqlStatement find;

	private final SqlStatement list;

	private final ReleaseNotices.Sql forceRelease;

	private final SqlStatement state;

	InspectSql(SqlSource source) {
		this.source = source;
		this.find = source.statement("find");
		this.list = source.statement("list");
		this.forceRelease = source.notifying("force-release");
		this.state = source.statement("state");
	}

	Optional<LockInfo> find(LockConnection connection, String key) throws SQLException {
		return read(connection, this.find, Map.of("key", this.source.key(key))).stream().findFirst();
	}

	List<LockInfo> list(LockConnection connection) throws SQLException {
		return read(connection, this.list, Map.of());
	}

	boolean forceRelease(LockConnection connection, String key, Duration cooldown) throws SQLException {
		Map<String, @Nullable Object> values = Map.of("key", this.source.key(key), "ends", LeaseRelease.ends(cooldown));
		boolean released = this.source.notices().send(this.forceRelease, (sql) -> connection.update(sql, values));
		if (released) {
			return true;
		}
		LockRow row = connection.queryFirst(this.state, values, LockRow::grant);
		if (row != null && !row.isKnown()) {
			throw row.unknown(key, this.source.settings().table());
		}
		return false;
	}

	private List<LockInfo> read(LockConnection connection, SqlStatement sql, Map<String, @Nullable Object> values)
			throws SQLException {
		return connection.query(sql, values, this::info).stream().flatMap(Optional::stream).toList();
	}

	private Optional<LockInfo> info(ResultSet row) throws SQLException {
		String key = this.source.key(row).orElse(JdbcJanitor.KEY);
		if (key.equals(JdbcJanitor.KEY)) {
			// Other applications may keep locks under other prefixes; the janitor's own
			// is nobody's business.
			return Optional.empty();
		}
		long form = row.getLong("form");
		if (form != LockRow.FORMAT) {
			throw LockRow.unknown(key, this.source.settings().table(), form);
		}
		String instance = row.getString("instance");
		return Optional.of(new LockInfo(key, (instance != null) ? instance : "", LockMode.EXCLUSIVE,
				row.getLong("token"), Duration.ofMillis(row.getLong("age")), Duration.ofMillis(row.getLong("rest"))));
	}

}
