package io.distributedlock.it.cluster;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Connections to PostgreSQL that are always in a transaction. One ends after each
 * statement, and the next begins immediately. Auto-commit can't be switched on. Half of
 * the time the connection with the oldest transaction is lent, and otherwise that with
 * the youngest.
 */
final class OldTransactions extends DelegatingDataSource {

	private static final int SIZE = 12;

	private final BlockingDeque<Connection> idle = new LinkedBlockingDeque<>();

	// Guarded by this.
	private int created;

	OldTransactions(DataSource dataSource) {
		super(dataSource);
	}

	@Override
	public Connection getConnection() throws SQLException {
		create();
		Connection connection = take();
		return Intercepted.by(Connection.class, (method, arguments) -> switch (method.getName()) {
			case "getAutoCommit" -> true;
			case "setAutoCommit" -> null;
			case "close" -> {
				this.idle.addLast(connection);
				yield null;
			}
			case "prepareStatement", "createStatement" ->
				ending(connection, Intercepted.call(connection, method, arguments));
			default -> Intercepted.call(connection, method, arguments);
		});
	}

	private synchronized void create() throws SQLException {
		if (this.created < SIZE) {
			Connection connection = super.getConnection();
			connection.setAutoCommit(false);
			begin(connection);
			this.created++;
			this.idle.addLast(connection);
		}
	}

	private Connection take() throws SQLException {
		try {
			boolean oldest = ThreadLocalRandom.current().nextBoolean();
			Connection connection = oldest ? this.idle.pollFirst(10, TimeUnit.SECONDS)
					: this.idle.pollLast(10, TimeUnit.SECONDS);
			if (connection == null) {
				throw new SQLException("All connections are in use");
			}
			return connection;
		}
		catch (InterruptedException ex) {
			throw new SQLException(ex);
		}
	}

	private static Object ending(Connection connection, @Nullable Object statement) {
		Class<? extends Statement> type = (statement instanceof PreparedStatement) ? PreparedStatement.class
				: Statement.class;
		return Intercepted.by(type, (method, arguments) -> {
			Object result = Intercepted.call(type.cast(statement), method, arguments);
			if (method.getName().equals("close")) {
				end(connection);
			}
			return result;
		});
	}

	private static void end(Connection connection) throws SQLException {
		try {
			connection.commit();
		}
		catch (SQLException ex) {
			// The statement had failed and reported it.
			connection.rollback();
		}
		begin(connection);
	}

	private static void begin(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute("SELECT 1");
		}
	}

}
