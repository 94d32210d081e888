package io.distributedlock.backend.jdbc;

import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Executes statements that change the row of a key and return its token, each in the way
 * of the dialect.
 *
 * @param connection the connection
 */
record TokenSql(LockConnection connection) {

	/**
	 * Execute a statement.
	 * @param sql the statement
	 * @param values its values
	 * @return the token, or {@code null} if the statement has changed no row
	 * @throws SQLException if a database access error occurs
	 */
	@Nullable Long token(SqlStatement sql, Map<String, @Nullable Object> values) throws SQLException {
		return switch (this.connection.table().dialect().grantReturn()) {
			case ROW, TOKEN -> this.connection.queryFirst(sql, values, (row) -> row.getLong(1));
			case GENERATED_KEY -> generatedKey(sql, values);
			case OUT_PARAMETER -> outParameter(sql, values);
			case READ_BACK -> this.connection.update(sql, values) ? readBack(values) : null;
		};
	}

	private @Nullable Long generatedKey(SqlStatement sql, Map<String, @Nullable Object> values) throws SQLException {
		try (PreparedStatement statement = this.connection.prepare(sql, values,
				(text) -> this.connection.connection().prepareStatement(text, Statement.RETURN_GENERATED_KEYS))) {
			if (statement.executeUpdate() == 0) {
				return null;
			}
			try (ResultSet keys = statement.getGeneratedKeys()) {
				if (!keys.next()) {
					throw new SQLException("The driver returned no generated key for: " + sql.sql());
				}
				return keys.getLong(1);
			}
		}
	}

	private @Nullable Long outParameter(SqlStatement sql, Map<String, @Nullable Object> values) throws SQLException {
		try (CallableStatement statement = this.connection.prepare(sql, values,
				this.connection.connection()::prepareCall)) {
			statement.execute();
			long token = statement.getLong(sql.parameters().indexOf(SqlStatement.OUT) + 1);
			return statement.wasNull() ? null : token;
		}
	}

	// The row was changed in a transaction, so it can't have changed again.
	private @Nullable Long readBack(Map<String, @Nullable Object> values) throws SQLException {
		return this.connection.queryFirst(this.connection.table().statement("gate"), values,
				(row) -> row.getLong("token"));
	}

}
