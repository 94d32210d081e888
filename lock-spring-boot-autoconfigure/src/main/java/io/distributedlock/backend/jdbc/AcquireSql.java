package io.distributedlock.backend.jdbc;

import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.LeaseRequest;

/**
 * The statements that take one lock, and those that look after it if it is taken.
 */
final class AcquireSql {

	private static final int MOST_READS = 5;

	private final LockConnection connection;

	private final LockTable table;

	private final LeaseRequest request;

	private final Map<String, @Nullable Object> values = new HashMap<>();

	/**
	 * Create the statements.
	 * @param connection the connection
	 * @param key the key
	 * @param request what to ask for
	 * @param pollAfter when a waiter asks again that is not told of the release
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
		putMark(pollAfter);
	}

	/**
	 * Put how long the mark of a waiter stays: if it is not notified of releases, until
	 * it polls again.
	 */
	private void putMark(Duration pollAfter) {
		boolean notified = this.table.dialect().has(Dialect.Trait.NOTIFICATIONS);
		this.values.put("mark", (notified ? PollDelay.MARK : pollAfter).toMillis());
	}

	/**
	 * Take the lock if it is free.
	 * @return the row if the lock was granted: it has the owner of the request then. If
	 * not, the row of somebody else, marked if the request waits, or {@code null} if
	 * nothing is known
	 * @throws SQLException if the database complains
	 */
	@Nullable LockRow acquire() throws SQLException {
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
	 * Take the lock by changing its row, and insert the row only where there is none: an
	 * INSERT that meets a row takes locks beside it, and so runs into others.
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
		return isMarked(other) ? other.withoutOwner() : null;
	}

	/**
	 * Leave the mark of a request that waits, unless its tick has run or the row is not
	 * known.
	 * @return {@code false} where the lock has become free meanwhile
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
			case TOKEN -> this.connection.queryFirst(sql, this.values, (row) -> granted(row.getLong(1)));
			case GENERATED_KEY -> generatedKey(sql);
			case OUT_PARAMETER -> outParameter(sql);
			case READ_BACK -> this.connection.update(sql, this.values) ? readBack() : null;
		};
	}

	private LockRow granted(long token) {
		return LockRow.granted(this.request, token);
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

	private @Nullable LockRow generatedKey(SqlStatement sql) throws SQLException {
		try (PreparedStatement statement = this.connection.prepare(sql, this.values,
				(text) -> this.connection.connection().prepareStatement(text, Statement.RETURN_GENERATED_KEYS))) {
			if (statement.executeUpdate() == 0) {
				return null;
			}
			try (ResultSet keys = statement.getGeneratedKeys()) {
				if (!keys.next()) {
					throw new SQLException("The driver shows no generated key for: " + sql.sql());
				}
				return granted(keys.getLong(1));
			}
		}
	}

	private @Nullable LockRow outParameter(SqlStatement sql) throws SQLException {
		try (CallableStatement statement = this.connection.prepare(sql, this.values,
				this.connection.connection()::prepareCall)) {
			statement.execute();
			long token = statement.getLong(sql.parameters().indexOf(SqlStatement.OUT) + 1);
			return statement.wasNull() ? null : granted(token);
		}
	}

	/**
	 * Read the row that was changed. What was granted can't be rolled back any more:
	 * where the row can't be read, the outcome is unknown, and must not be taken for a
	 * fault before which nothing was executed.
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

	/**
	 * Read the state of the lock and leave no trace.
	 * @return the row, or {@code null} where there is none
	 * @throws SQLException if the database complains
	 */
	@Nullable LockRow state() throws SQLException {
		return this.connection.queryFirst(this.table.statement("state"), this.values, LockRow::grant);
	}

	/**
	 * Leave a waiter's mark, if the lock is taken.
	 * @param pollAfter when the waiter asks again that is not told of the release
	 * @return the row, or {@code null} where the lock is free
	 * @throws SQLException if the database complains
	 */
	@Nullable LockRow mark(Duration pollAfter) throws SQLException {
		putMark(pollAfter);
		SqlStatement mark = this.table.statement("mark");
		if (this.table.dialect().has(Dialect.Trait.UPDATES_RETURN)) {
			return this.connection.queryFirst(mark, this.values, LockRow::state);
		}
		return this.connection.update(mark, this.values) ? state() : null;
	}

}
