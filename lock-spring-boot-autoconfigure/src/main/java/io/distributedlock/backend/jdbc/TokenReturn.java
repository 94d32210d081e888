package io.distributedlock.backend.jdbc;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How the token comes back from a statement that changes or inserts the row of a lock, so
 * that nobody has to read it again.
 */
enum TokenReturn {

	/**
	 * As a generated key, for which the statement passes it through
	 * {@code LAST_INSERT_ID}.
	 */
	GENERATED_KEY {
		@Override
		@Nullable Long execute(LockConnection connection, SqlStatement sql, Map<String, @Nullable Object> values)
				throws SQLException {
			try (PreparedStatement statement = connection.prepare(sql, GENERATED_KEYS, values)) {
				if (statement.executeUpdate() == 0) {
					return null;
				}
				try (ResultSet keys = statement.getGeneratedKeys()) {
					if (!keys.next()) {
						throw new SQLException("The driver shows no generated key for: " + sql.sql());
					}
					return keys.getLong(1);
				}
			}
		}
	},

	/**
	 * As the only column of a row.
	 */
	ROW {
		@Override
		@Nullable Long execute(LockConnection connection, SqlStatement sql, Map<String, @Nullable Object> values)
				throws SQLException {
			try (PreparedStatement statement = connection.prepare(sql, values);
					ResultSet rows = statement.executeQuery()) {
				return rows.next() ? rows.getLong(1) : null;
			}
		}
	},

	/**
	 * In a parameter, which stays {@code NULL} where no row was changed.
	 */
	OUT_PARAMETER {
		@Override
		@Nullable Long execute(LockConnection connection, SqlStatement sql, Map<String, @Nullable Object> values)
				throws SQLException {
			try (CallableStatement statement = connection.prepare(sql, Connection::prepareCall, values)) {
				statement.execute();
				long token = statement.getLong(sql.parameters().indexOf(SqlStatement.OUT) + 1);
				return statement.wasNull() ? null : token;
			}
		}
	};

	private static final SqlStatement.Preparation<PreparedStatement> GENERATED_KEYS = (connection, sql) -> connection
		.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);

	/**
	 * Execute a statement.
	 * @param connection the connection
	 * @param sql the statement
	 * @param values its values
	 * @return the token, or {@code null} if it changed nothing
	 * @throws SQLException if the database complains
	 */
	abstract @Nullable Long execute(LockConnection connection, SqlStatement sql, Map<String, @Nullable Object> values)
			throws SQLException;

}
