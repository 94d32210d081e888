package io.distributedlock.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;

/**
 * Executes the statements that take one lock. Other statements read the state of a lock
 * that is taken, and leave the mark of a waiter.
 */
final class AcquireSql implements TakeSql {

	private static final int MOST_READS = 5;

	private final LockConnection connection;

	private final LockTable table;

	private final LeaseRequest request;

	private final Map<String, @Nullable Object> values = new HashMap<>();

	/**
	 * Create the statements.
	 * @param connection the connection
	 * @param key the key
	 * @param request the request
	 * @param pollAfter the delay before an unnotified waiter polls again
	 */
	AcquireSql(LockConnection connection, String key, LeaseRequest request, Duration pollAfter) {
		this.connection = connection;
		this.table = connection.table();
		this.request = request;
		Instant tick = request.tick();
		this.values.put("key", this.table.key(key));
		this.values.put("owner", request.ownerId().value());
		this.values.put("instance", this.table.settings().instanceId());
		this.values.put("ttl", request.ttl().toMillis());
		this.values.put("span", (long) request.span());
		this.values.put("tick", (tick != null) ? tick.toEpochMilli() : null);
		this.values.put("before", (tick != null) ? tick.toEpochMilli() : Long.MAX_VALUE);
		this.values.put("waiting", request.waiting() ? 1L : 0L);
		this.values.put("mark", pollAfter.toMillis());
	}

	@Override
	public @Nullable LockRow acquire() throws SQLException {
		try {
			return (this.table.dialect().grantReturn() == GrantReturn.ROW) ? grant("acquire") : updateThenInsert();
		}
		catch (SQLException ex) {
			if (SqlFaults.isDuplicateKey(ex)) {
				return null;
			}
			throw ex;
		}
	}

	/**
	 * Take the lock by an update of its row, and insert the row only if it is missing. An
	 * INSERT that finds a row also takes locks beside it, and so conflicts with other
	 * statements.
	 */
	private @Nullable LockRow updateThenInsert() throws SQLException {
		LockRow taken = grant("take");
		if (taken != null) {
			return taken;
		}
		LockRow other = this.table.dialect().has(Dialect.Trait.INSERTS_BLINDLY) ? null : state();
		if (other == null) {
			return grant("insert");
		}
		return isMarked(other) ? other.withHiddenOwner() : null;
	}

	/**
	 * Leave the mark of a request that waits, unless its tick has run or the row is not
	 * known.
	 * @return {@code false} if the lock has become free meanwhile
	 */
	private boolean isMarked(LockRow other) throws SQLException {
		if (!this.request.waiting() || !other.isKnown() || other.rest() <= 0 || other.hasRun(this.request.tick())) {
			return true;
		}
		return this.connection.update(this.table.statement("mark"), this.values);
	}

	/**
	 * Execute a statement that takes the lock.
	 * @return the row if the statement changed one, else {@code null}
	 */
	private @Nullable LockRow grant(String name) throws SQLException {
		SqlStatement sql = this.table.statement(name);
		return switch (this.table.dialect().grantReturn()) {
			case ROW -> row(sql);
			case TOKEN, GENERATED_KEY, OUT_PARAMETER -> granted(new TokenSql(this.connection).token(sql, this.values));
			case READ_BACK -> this.connection.update(sql, this.values) ? readBack() : null;
		};
	}

	private @Nullable LockRow granted(@Nullable Long token) {
		return (token != null) ? LockRow.granted(this.request, token) : null;
	}

	private @Nullable LockRow row(SqlStatement sql) throws SQLException {
		try (PreparedStatement statement = this.connection.prepare(sql, this.values)) {
			// Not executeQuery(): drivers refuse that for an INSERT that returns rows.
			statement.execute();
			try (ResultSet rows = statement.getResultSet()) {
				return rows.next() ? LockRow.grant(rows) : null;
			}
		}
	}

	/**
	 * Read the row that was changed. The grant can no longer be rolled back. If the row
	 * can't be read, the outcome is therefore unknown, and must not be reported as a
	 * fault of a statement that was not executed.
	 */
	private @Nullable LockRow readBack() throws SQLException {
		for (int tries = 1;; tries++) {
			try {
				return state();
			}
			catch (SQLException ex) {
				if (!SqlFaults.isTransient(ex) || tries == MOST_READS) {
					throw new SQLException("A lock was taken, but could not be read back: " + ex);
				}
			}
		}
	}

	@Override
	public @Nullable LockRow state() throws SQLException {
		return this.connection.queryFirst(this.table.statement("state"), this.values, LockRow::grant);
	}

	@Override
	public @Nullable LockRow mark(Duration pollAfter, boolean notified) throws SQLException {
		this.values.put("mark", TakeSql.mark(this.table.dialect(), pollAfter, notified));
		SqlStatement mark = this.table.statement("mark");
		if (this.table.dialect().has(Dialect.Trait.UPDATES_RETURN)) {
			return this.connection.queryFirst(mark, this.values, LockRow::state);
		}
		return this.connection.update(mark, this.values) ? state() : null;
	}

}
