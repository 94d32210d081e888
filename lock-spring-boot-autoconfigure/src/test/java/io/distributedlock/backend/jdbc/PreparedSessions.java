package io.distributedlock.backend.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Sessions of a pool on which a statement runs when they are borrowed, and another one
 * that reverts it when they are returned.
 */
public final class PreparedSessions extends DelegatingDataSource {

	private final String setUp;

	private final String setBack;

	public PreparedSessions(DataSource dataSource, String setUp, String setBack) {
		super(dataSource);
		this.setUp = setUp;
		this.setBack = setBack;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		try {
			execute(connection, this.setUp);
		}
		catch (SQLException ex) {
			connection.close();
			throw ex;
		}
		return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("close") && !connection.isClosed()) {
						execute(connection, this.setBack);
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
