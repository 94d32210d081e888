package io.distributedlock.backend.jdbc;

import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;

/**
 * How a statement that changes or inserts the row of a lock gives back what it granted.
 */
enum GrantReturn {

	/**
	 * The token as a generated key, for which the statement passes it through
	 * {@code LAST_INSERT_ID}.
	 */
	GENERATED_KEY {
		@Override
		@Nullable LockRow execute(LockConnection connection, SqlStatement sql, LeaseRequest request,
				Map<String, @Nullable Object> values) throws SQLException {
			try (PreparedStatement statement = connection.prepare(sql, values,
					(text) -> connection.connection().prepareStatement(text, Statement.RETURN_GENERATED_KEYS))) {
				if (statement.executeUpdate() == 0) {
					return null;
				}
				try (ResultSet keys = statement.getGeneratedKeys()) {
					if (!keys.next()) {
						throw new SQLException("The driver shows no generated key for: " + sql.sql());
					}
					return LockRow.granted(request, keys.getLong(1));
				}
			}
		}
	},

	/**
	 * The token as the only column of a row.
	 */
	ROW {
		@Override
		@Nullable LockRow execute(LockConnection connection, SqlStatement sql, LeaseRequest request,
				Map<String, @Nullable Object> values) throws SQLException {
			return connection.queryFirst(sql, values, (row) -> LockRow.granted(request, row.getLong(1)));
		}
	},

	/**
	 * The token in a parameter, which stays {@code NULL} where no row was changed.
	 */
	OUT_PARAMETER {
		@Override
		@Nullable LockRow execute(LockConnection connection, SqlStatement sql, LeaseRequest request,
				Map<String, @Nullable Object> values) throws SQLException {
			try (CallableStatement statement = connection.prepare(sql, values, connection.connection()::prepareCall)) {
				statement.execute();
				long token = statement.getLong(sql.parameters().indexOf(SqlStatement.OUT) + 1);
				return statement.wasNull() ? null : LockRow.granted(request, token);
			}
		}
	},

	/**
	 * Only the number of changed rows: the row is read by another statement, and says
	 * whose it is.
	 */
	READ_BACK {
		@Override
		@Nullable LockRow execute(LockConnection connection, SqlStatement sql, LeaseRequest request,
				Map<String, @Nullable Object> values) throws SQLException {
			return connection.update(sql, values) ? readBack(connection, values) : null;
		}
	};

	private static final int MOST_READS = 5;

	/**
	 * Execute a statement.
	 * @param connection the connection
	 * @param sql the statement
	 * @param request what is asked for
	 * @param values the same by the names that statements use, and the key
	 * @return the row if the statement changed one, else {@code null}
	 * @throws SQLException if the database complains
	 */
	abstract @Nullable LockRow execute(LockConnection connection, SqlStatement sql, LeaseRequest request,
			Map<String, @Nullable Object> values) throws SQLException;

	/**
	 * Read the row that was changed. What was granted can't be rolled back any more:
	 * where the row can't be read, the outcome is unknown, and must not be taken for a
	 * fault before which nothing was executed.
	 */
	private static @Nullable LockRow readBack(LockConnection connection, Map<String, @Nullable Object> values)
			throws SQLException {
		for (int tries = 1;; tries++) {
			try {
				return connection.table().acquire().read(connection, values);
			}
			catch (SQLException ex) {
				if (!SqlFaults.isTransient(ex) || tries == MOST_READS) {
					throw new SQLException("A lock was taken, but could not be read back: " + ex);
				}
			}
		}
	}

}
