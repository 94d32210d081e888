package io.distributedlock.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;

/**
 * Takes a lock by changing its row, and inserts the row only where there is none: an
 * INSERT that meets a row takes locks beside it, and so runs into others. Both give the
 * token back.
 */
final class TakeInSteps implements Taking {

	private final TokenReturn tokenReturn;

	private final SqlStatement take;

	private final SqlStatement insert;

	private final SqlStatement state;

	private final SqlStatement mark;

	// Whether the INSERT itself leaves a row alone that is there, without a look at it.
	private final boolean insertsBlindly;

	TakeInSteps(SqlSource source, TokenReturn tokenReturn, boolean insertsBlindly) {
		this.tokenReturn = tokenReturn;
		this.insertsBlindly = insertsBlindly;
		this.take = source.statement("take");
		this.insert = source.statement("insert");
		this.state = source.statement("state");
		this.mark = source.statement("mark");
	}

	@Override
	public @Nullable LockRow take(LockConnection connection, LeaseRequest request, Map<String, @Nullable Object> values)
			throws SQLException {
		LockRow taken = granted(this.tokenReturn.execute(connection, this.take, values), request);
		if (taken != null) {
			return taken;
		}
		LockRow other = this.insertsBlindly ? null : read(connection, this.state, values);
		if (other == null) {
			return granted(this.tokenReturn.execute(connection, this.insert, values), request);
		}
		return marked(connection, this.mark, other, request, values) ? other.ofAnother() : null;
	}

	private static @Nullable LockRow granted(@Nullable Long token, LeaseRequest request) {
		return (token != null) ? new LockRow(request.ownerId().value(), token, request.ttl().toMillis(), 0, null)
				: null;
	}

	static @Nullable LockRow read(LockConnection connection, SqlStatement state, Map<String, @Nullable Object> values)
			throws SQLException {
		try (PreparedStatement statement = connection.prepare(state, values);
				ResultSet rows = statement.executeQuery()) {
			return rows.next() ? LockRow.grant(rows) : null;
		}
	}

	/**
	 * Leave the mark of a request that waits, unless its tick has run or the row is not
	 * known.
	 * @return {@code false} where the lock has become free meanwhile
	 */
	static boolean marked(LockConnection connection, SqlStatement mark, LockRow other, LeaseRequest request,
			Map<String, @Nullable Object> values) throws SQLException {
		if (!request.waiting() || !other.isKnown() || other.rest() <= 0 || other.hasRun(request.tick())) {
			return true;
		}
		try (PreparedStatement statement = connection.prepare(mark, values)) {
			return statement.executeUpdate() > 0;
		}
	}

}
