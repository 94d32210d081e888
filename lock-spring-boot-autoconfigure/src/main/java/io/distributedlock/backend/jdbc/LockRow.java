package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What a statement told of a lock's row.
 *
 * @param owner the owner id, where it was asked for and there is one
 * @param token the last token of the range granted last, where it was asked for
 * @param rest for how long the lock is taken yet, in ms; not positive where it is free
 * @param age how long ago it was granted, in ms
 * @param tick the last tick that has run, in ms since 1970, if any
 */
record LockRow(@Nullable String owner, long token, long rest, long age, @Nullable Long tick) {

	static LockRow grant(ResultSet row) throws SQLException {
		return new LockRow(row.getString("owner"), row.getLong("token"), row.getLong("rest"), row.getLong("age"),
				tick(row));
	}

	static LockRow state(ResultSet row) throws SQLException {
		return new LockRow(null, 0, row.getLong("rest"), row.getLong("age"), tick(row));
	}

	/**
	 * Return the row without its owner: a request that is sent again gets the lock only
	 * once.
	 * @return the row
	 */
	LockRow ofAnother() {
		return new LockRow(null, this.token, this.rest, this.age, this.tick);
	}

	/**
	 * Return whether a tick has run.
	 * @param wanted the tick that is asked for, if any
	 * @return whether it, or a later one, has run
	 */
	boolean hasRun(@Nullable Instant wanted) {
		return wanted != null && this.tick != null && this.tick >= wanted.toEpochMilli();
	}

	private static @Nullable Long tick(ResultSet row) throws SQLException {
		long tick = row.getLong("tick");
		return row.wasNull() ? null : tick;
	}

}
