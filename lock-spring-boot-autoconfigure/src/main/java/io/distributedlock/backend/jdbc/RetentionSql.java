package io.distributedlock.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The statements that forget locks which nobody has used for the retention.
 */
final class RetentionSql {

	/**
	 * For how long at least it is remembered which tick has run.
	 */
	private static final Duration TICKS = Duration.ofHours(24);

	private final SqlSource source;

	private final SqlStatement unused;

	private final SqlStatement forget;

	RetentionSql(SqlSource source) {
		this.source = source;
		this.unused = source.statement("unused");
		this.forget = source.statement("forget");
	}

	/**
	 * Find locks to forget, under the own prefix: others have a retention of their own.
	 * @param connection the connection
	 * @param after the key to begin behind, or {@code null}
	 * @param most how many at most
	 * @return the keys in the order of the database
	 * @throws SQLException if the database complains
	 */
	List<String> unused(LockConnection connection, @Nullable String after, int most) throws SQLException {
		List<String> keys = new ArrayList<>();
		Map<String, @Nullable Object> values = ages();
		values.put("after", this.source.key((after != null) ? after : ""));
		try (PreparedStatement statement = connection.prepare(this.unused, values)) {
			statement.setMaxRows(most);
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					Optional<String> key = this.source.key(rows);
					if (key.isEmpty()) {
						// In the order of their bytes, all keys of a prefix stand
						// together.
						return keys;
					}
					keys.add(key.get());
				}
			}
		}
		return keys;
	}

	boolean forget(LockConnection connection, String key) throws SQLException {
		Map<String, @Nullable Object> values = ages();
		values.put("key", this.source.key(key));
		return connection.update(this.forget, values);
	}

	private Map<String, @Nullable Object> ages() {
		Duration retention = this.source.settings().tokenRetention();
		Duration ticks = (retention.compareTo(TICKS) < 0) ? TICKS : retention;
		Map<String, @Nullable Object> values = new HashMap<>();
		values.put("unused", -retention.toMillis());
		values.put("ticked", -ticks.toMillis());
		values.put("micros", retention.toNanos() / 1000);
		return values;
	}

}
