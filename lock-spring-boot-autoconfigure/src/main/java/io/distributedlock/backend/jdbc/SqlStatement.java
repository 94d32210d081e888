package io.distributedlock.backend.jdbc;

import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A statement in the form that drivers expect, and the names of its parameters in their
 * order.
 *
 * @param sql the text with question marks
 * @param parameters the name of the value for each of them
 */
record SqlStatement(String sql, List<String> parameters) {

	private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*--.*$\\R?");

	private static final Pattern PARAMETER = Pattern.compile(":([a-z]\\w*)");

	private static final Pattern NOTICE = Pattern.compile("pg_notify\\([^)]*\\)");

	/**
	 * The name of the parameter in which a statement that takes a lock returns the token.
	 */
	static final String OUT = "granted";

	/**
	 * Read a statement whose parameters are written as {@code :name}.
	 * @param text the text, comments included
	 * @return the statement
	 */
	static SqlStatement parse(String text) {
		List<String> names = new ArrayList<>();
		Matcher parameters = PARAMETER.matcher(COMMENT.matcher(text).replaceAll("").strip());
		String sql = parameters.replaceAll((match) -> {
			names.add(match.group(1));
			return "?";
		});
		return new SqlStatement(sql, List.copyOf(names));
	}

	/**
	 * Return the statement that does the same and sends no notification.
	 * @return the statement; equal to this one if this one sends none
	 */
	SqlStatement withoutNotice() {
		return new SqlStatement(NOTICE.matcher(this.sql).replaceAll("NULL"), this.parameters);
	}

	/**
	 * Prepare the statement and set its parameters.
	 * @param <S> the type of the statement
	 * @param preparation prepares the text on a connection
	 * @param timeoutSeconds the query timeout in seconds; zero for none
	 * @param values the values by name; {@code null} stands for a missing number
	 * @return the statement, to be closed by the caller
	 * @throws SQLException if it can't be prepared
	 */
	<S extends PreparedStatement> S prepare(SqlFunction<String, S> preparation, int timeoutSeconds,
			Map<String, @Nullable Object> values) throws SQLException {
		S statement = preparation.apply(this.sql);
		try {
			if (timeoutSeconds > 0) {
				statement.setQueryTimeout(timeoutSeconds);
			}
			bind(statement, values);
			return statement;
		}
		catch (SQLException | RuntimeException ex) {
			statement.close();
			throw ex;
		}
	}

	private void bind(PreparedStatement statement, Map<String, @Nullable Object> values) throws SQLException {
		for (int i = 0; i < this.parameters.size(); i++) {
			Object value = values.get(this.parameters.get(i));
			if (this.parameters.get(i).equals(OUT)) {
				((CallableStatement) statement).registerOutParameter(i + 1, Types.BIGINT);
			}
			else if (value == null) {
				statement.setNull(i + 1, Types.BIGINT);
			}
			else if (value instanceof String text) {
				statement.setString(i + 1, text);
			}
			else if (value instanceof byte[] bytes) {
				statement.setBytes(i + 1, bytes);
			}
			else if (value instanceof Array array) {
				statement.setArray(i + 1, array);
			}
			else {
				statement.setLong(i + 1, (Long) value);
			}
		}
	}

}
