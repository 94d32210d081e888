package io.distributedlock.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The statements that forget locks which nobody has used for the retention.
 */
final class RetentionSql {

	/**
	 * For how long at least it is remembered which tick has run.
	 */
	private static final Duration TICKS = Duration.ofHours(24);

	/**
	 * What keys begin behind where they have no prefix. The one key that is this
	 * character, and nothing else, is never forgotten.
	 */
	private static final String FIRST = "\u0001";

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
		String prefix = this.source.settings().keyPrefix();
		Map<String, @Nullable Object> values = ages();
		values.put("after", (after != null) ? this.source.key(after) : first(prefix));
		try (PreparedStatement statement = connection.prepare(this.unused, values)) {
			statement.setMaxRows(most);
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					String key = this.source.dialect().keyForm().fromColumn(rows, "lock_key");
					if (!key.startsWith(prefix)) {
						// In the order of their bytes, all keys of a prefix stand
						// together.
						return keys;
					}
					keys.add(key.substring(prefix.length()));
				}
			}
		}
		return keys;
	}

	private Object first(String prefix) {
		return prefix.isEmpty() ? this.source.dialect().keyForm().toColumn(FIRST) : this.source.key("");
	}

	boolean forget(LockConnection connection, String key) throws SQLException {
		Map<String, @Nullable Object> values = ages();
		values.put("key", this.source.key(key));
		try (PreparedStatement statement = connection.prepare(this.forget, values)) {
			return statement.executeUpdate() > 0;
		}
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
