package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockKeys;

/**
 * Executes the statements that delete locks which have been unused for the retention.
 *
 * @param connection the connection
 */
record RetentionSql(LockConnection connection) {

	/**
	 * The minimum time for which the last tick that has run is remembered.
	 */
	private static final Duration TICKS = Duration.ofHours(24);

	/**
	 * Find locks to delete under the prefix of this application. Others have a retention
	 * of their own.
	 * @param after the key after which to begin; empty for all
	 * @param most the maximum number of keys
	 * @return the keys in the order of the database
	 * @throws SQLException if a database access error occurs
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

	/**
	 * Find members that have expired under the prefix of this application.
	 * @param after the key after which to begin; empty for all
	 * @param most the maximum number of members
	 * @return the members in the order of the database
	 * @throws SQLException if a database access error occurs
	 */
	List<Member> expired(String after, int most) throws SQLException {
		LockTable table = this.connection.table();
		return this.connection.query(table.statement("expired"), Map.of("after", table.key(after)), most, (row) -> {
			String owner = row.getString("owner");
			return table.key(row).map((key) -> new Member(key, owner));
		}).stream().takeWhile(Optional::isPresent).flatMap(Optional::stream).toList();
	}

	boolean forget(Member member) throws SQLException {
		LockTable table = this.connection.table();
		return this.connection.update(table.statement("forget-member"),
				Map.of("key", table.key(member.key()), "owner", member.owner()));
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

	/**
	 * A member of a group.
	 *
	 * @param key the key
	 * @param owner the owner
	 */
	record Member(String key, String owner) {

		@Override
		public String toString() {
			return "Member[" + LockKeys.printable(this.key) + "]";
		}

	}

}
