package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;

/**
 * Takes a lock by changing its row, and inserts the row only where there is none: an
 * INSERT that meets a row takes locks beside it, and so runs into others.
 */
final class UpdateThenInsertAcquire implements AcquireStrategy {

	private final GrantReturn grantReturn;

	private final SqlStatement take;

	private final SqlStatement insert;

	private final SqlStatement state;

	private final SqlStatement mark;

	// Whether the INSERT itself leaves a row alone that is there, without a look at it.
	private final boolean insertsBlindly;

	UpdateThenInsertAcquire(SqlSource source, GrantReturn grantReturn, boolean insertsBlindly) {
		this.grantReturn = grantReturn;
		this.insertsBlindly = insertsBlindly;
		this.take = source.statement("take");
		this.insert = source.statement("insert");
		this.state = source.statement("state");
		this.mark = source.statement("mark");
	}

	@Override
	public @Nullable LockRow acquire(LockConnection connection, LeaseRequest request,
			Map<String, @Nullable Object> values) throws SQLException {
		LockRow taken = this.grantReturn.execute(connection, this.take, request, values);
		if (taken != null) {
			return taken;
		}
		LockRow other = this.insertsBlindly ? null : connection.queryFirst(this.state, values, LockRow::grant);
		if (other == null) {
			return this.grantReturn.execute(connection, this.insert, request, values);
		}
		return isMarked(connection, other, request, values) ? other.withoutOwner() : null;
	}

	/**
	 * Leave the mark of a request that waits, unless its tick has run or the row is not
	 * known.
	 * @return {@code false} where the lock has become free meanwhile
	 */
	private boolean isMarked(LockConnection connection, LockRow other, LeaseRequest request,
			Map<String, @Nullable Object> values) throws SQLException {
		if (!request.waiting() || !other.isKnown() || other.rest() <= 0 || other.hasRun(request.tick())) {
			return true;
		}
		return connection.update(this.mark, values);
	}

}
