package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.PollDelay;

/**
 * Executes the statements that look at groups, and with which waiters open and close
 * them.
 *
 * @param connection the connection
 */
record GateSql(LockConnection connection) {

	/**
	 * Read how the row of a key stands in the way of a member.
	 * @param key the key
	 * @return the row, or {@code null} if there is none
	 * @throws SQLException if a database access error occurs
	 */
	@Nullable GateRow gate(String key) throws SQLException {
		return this.connection.queryFirst(statement("gate"), values(key), GateRow::of);
	}

	Places places(String key) throws SQLException {
		Places places = this.connection.queryFirst(statement("places"), values(key), Places::of);
		return (places != null) ? places : Places.NONE;
	}

	/**
	 * Leave the mark of a waiter, if the lock has an exclusive holder.
	 * @param key the key
	 * @param pollAfter the delay before an unnotified waiter polls again
	 * @return {@code false} if the lock no longer has one
	 * @throws SQLException if a database access error occurs
	 */
	boolean mark(String key, Duration pollAfter) throws SQLException {
		boolean notified = this.connection.table().dialect().has(Dialect.Trait.NOTIFICATIONS);
		return this.connection.update(statement("mark-holder"), Map.of("key", this.connection.table().key(key), "mark",
				(notified ? PollDelay.MARK : pollAfter).toMillis()));
	}

	/**
	 * Ask that the next release of a permit notifies waiters.
	 */
	void askForPermit(String key) throws SQLException {
		this.connection.update(statement("ask-permit"),
				Map.of("key", this.connection.table().key(key), "kind", GroupKind.PERMITS.stored()));
	}

	/**
	 * Open a group that a waiter has closed.
	 */
	void openDoor(String key) throws SQLException {
		this.connection.table()
			.notices()
			.send(statement("open-door"), (sql) -> this.connection.update(sql, values(key)));
	}

	/**
	 * Read the members of several keys.
	 * @param <T> the type of the result
	 * @param first the first key
	 * @param last the last key
	 * @param mapper turns the row of a member into a result
	 * @return the members, in the order of their keys and tokens
	 * @throws SQLException if a database access error occurs
	 */
	<T> List<T> members(String first, String last, SqlFunction<ResultSet, T> mapper) throws SQLException {
		this.connection.checkMembers();
		return this.connection.query(statement("members"),
				Map.of("first", this.connection.table().key(first), "last", this.connection.table().key(last)), mapper);
	}

	private SqlStatement statement(String name) {
		return this.connection.table().statement(name);
	}

	private Map<String, @Nullable Object> values(String key) {
		return Map.of("key", this.connection.table().key(key));
	}

	/**
	 * The members of a group, and the places that cooldowns keep.
	 *
	 * @param number how many there are
	 * @param rest the time until the first of them is free
	 * @param age the age of the oldest one
	 */
	record Places(long number, Duration rest, Duration age) {

		static final Places NONE = new Places(0, Duration.ZERO, Duration.ZERO);

		static Places of(ResultSet row) throws SQLException {
			return new Places(row.getLong("places"), Duration.ofMillis(Math.max(0, row.getLong("rest"))),
					Duration.ofMillis(Math.max(0, row.getLong("age"))));
		}

	}

}
