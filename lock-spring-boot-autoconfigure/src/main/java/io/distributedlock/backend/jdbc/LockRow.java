package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

/**
 * The row of a lock that a statement returned.
 *
 * @param owner the owner id, if there is one
 * @param token the last token of the range granted last, if it was queried
 * @param rest for how long the lock is still taken, in ms; not positive if it is free
 * @param age how long ago it was granted, in ms
 * @param tick the last tick that has run, in ms since 1970, if any
 * @param form the format of the row if a later version wrote it; {@value #FORMAT} if this
 * version knows the row, 0 if the row contradicts that format
 */
record LockRow(@Nullable String owner, long token, long rest, long age, @Nullable Long tick,
		long form) implements LockState {

	/**
	 * The format of the rows that this version writes, and the only one that it takes,
	 * renews, releases or deletes.
	 */
	static final int FORMAT = 1;

	/**
	 * Return the row that a statement has just changed for a request.
	 */
	static LockRow granted(LeaseRequest request, long token) {
		return new LockRow(request.ownerId().value(), token, request.ttl().toMillis(), 0, null, FORMAT);
	}

	static LockRow grant(ResultSet row) throws SQLException {
		return new LockRow(row.getString("owner"), row.getLong("token"), row.getLong("rest"), row.getLong("age"),
				tick(row), row.getLong("form"));
	}

	static LockRow state(ResultSet row) throws SQLException {
		return new LockRow(row.getString("owner"), 0, row.getLong("rest"), row.getLong("age"), tick(row), FORMAT);
	}

	/**
	 * Return the row without the id of its owner, so that a repeated request does not
	 * count as granted.
	 * @return the row
	 */
	LockRow withHiddenOwner() {
		return new LockRow((this.owner != null) ? "" : null, this.token, this.rest, this.age, this.tick, this.form);
	}

	@Override
	public boolean isGrantedTo(OwnerId request) {
		return isKnown() && request.value().equals(this.owner);
	}

	@Override
	public List<TokenRange> tokens(LeaseRequest request) {
		int span = request.span();
		return List.of(new TokenRange(this.token - span + 1, span));
	}

	@Override
	public boolean isOwnerless() {
		return this.owner == null && this.rest > 0;
	}

	@Override
	public boolean isKnown() {
		return this.form == FORMAT;
	}

	@Override
	public LockUnavailableException unknown(LockTarget target, String table) {
		return unknown(target.key(), table, this.form);
	}

	/**
	 * Return the exception for a lock whose row is not known.
	 * @param key the key
	 * @param table the table
	 * @param form the form of the row
	 * @return the exception
	 */
	static LockUnavailableException unknown(String key, String table, long form) {
		String found = (form == 0) ? "contradicts the format " + FORMAT
				: "has the format " + form + " of another version, and this one knows only the format " + FORMAT;
		return new LockUnavailableException("The lock on " + LockTarget.exclusive(key).keys()
				+ " is taken: its row in the table '" + table + "' " + found + ". It is left as it is");
	}

	@Override
	public boolean hasRun(@Nullable Instant asked) {
		return asked != null && this.tick != null && this.tick >= asked.toEpochMilli();
	}

	private static @Nullable Long tick(ResultSet row) throws SQLException {
		long tick = row.getLong("tick");
		return row.wasNull() ? null : tick;
	}

}
