package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The statements that forget locks which nobody has used for the retention.
 *
 * @param connection the connection
 */
record RetentionSql(LockConnection connection) {

	/**
	 * For how long at least it is remembered which tick has run.
	 */
	private static final Duration TICKS = Duration.ofHours(24);

	/**
	 * Find locks to forget, under the own prefix: others have a retention of their own.
	 * @param after the key to begin behind; empty for all
	 * @param most how many at most
	 * @return the keys in the order of the database
	 * @throws SQLException if the database complains
	 */
	List<String> unused(String after, int most) throws SQLException {
		LockTable table = this.connection.table();
		// In the order of their bytes, all keys of a prefix stand together.
		return this.connection.query(table.statement("unused"), values("after", after), most, table::key)
			.stream()
			.takeWhile(Optional::isPresent)
			.flatMap(Optional::stream)
			.toList();
	}

	boolean forget(String key) throws SQLException {
		return this.connection.update(this.connection.table().statement("forget"), values("key", key));
	}

	private Map<String, @Nullable Object> values(String name, String key) {
		Duration retention = this.connection.table().settings().tokenRetention();
		Duration ticks = (retention.compareTo(TICKS) < 0) ? TICKS : retention;
		return Map.of(name, this.connection.table().key(key), "unused", -retention.toMillis(), "ticked",
				-ticks.toMillis(), "micros", retention.toNanos() / 1000);
	}

}
