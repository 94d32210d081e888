package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The row of a key as the members of a group see it.
 *
 * @param kind the kind of the latest group, or {@code null} if the latest lease was
 * exclusive
 * @param owned whether it has an exclusive owner
 * @param token the last token that was granted, or a greater one
 * @param rest for how long the key is still taken; zero if it is free
 * @param age how long ago the lease was granted, or the first one of the group
 * @param door for how long the group stays closed to new members; zero if it is open
 * @param asked whether a waiter for a permit asks to be notified
 * @param form {@value LockRow#FORMAT} if this version knows the row
 */
record GateRow(@Nullable String kind, boolean owned, long token, Duration rest, Duration age, Duration door,
		boolean asked, long form) {

	static GateRow of(ResultSet row) throws SQLException {
		return new GateRow(row.getString("kind"), row.getLong("owned") != 0, row.getLong("token"), millis(row, "rest"),
				millis(row, "age"), millis(row, "door"), row.getLong("asked") != 0, row.getLong("form"));
	}

	private static Duration millis(ResultSet row, String column) throws SQLException {
		return Duration.ofMillis(Math.max(0, row.getLong(column)));
	}

	boolean isKnown() {
		return this.form == LockRow.FORMAT;
	}

	boolean isFree() {
		return this.rest.isZero();
	}

	boolean isHeldBy(GroupKind wanted) {
		return !isFree() && wanted.stored().equals(this.kind);
	}

	boolean isClosed() {
		return !this.door.isZero();
	}

}
