package io.distributedlock.it.cluster;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Changes the text of prepared statements and reports when they are sent.
 */
public final class TamperedDataSource extends DelegatingDataSource {

	private final UnaryOperator<String> rewriting;

	private final Runnable onStatement;

	/**
	 * Create a data source with tampered connections.
	 * @param dataSource the real ones
	 * @param rewriting changes the text of a statement
	 * @param onStatement is run each time that a statement is executed
	 */
	public TamperedDataSource(DataSource dataSource, UnaryOperator<String> rewriting, Runnable onStatement) {
		super(dataSource);
		this.rewriting = rewriting;
		this.onStatement = onStatement;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return Intercepted.by(Connection.class, (method, arguments) -> {
			if (arguments != null && method.getName().startsWith("prepare")) {
				arguments[0] = this.rewriting.apply((String) arguments[0]);
			}
			return statement(Intercepted.call(connection, method, arguments));
		});
	}

	private @Nullable Object statement(@Nullable Object result) {
		if (!(result instanceof PreparedStatement statement)) {
			return result;
		}
		Class<? extends PreparedStatement> type = (statement instanceof CallableStatement) ? CallableStatement.class
				: PreparedStatement.class;
		return Intercepted.by(type, (method, arguments) -> {
			if (method.getName().startsWith("execute")) {
				this.onStatement.run();
			}
			return Intercepted.call(statement, method, arguments);
		});
	}

}
