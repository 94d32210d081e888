package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import org.postgresql.PGConnection;
import org.springframework.util.ClassUtils;

/**
 * Keeps PostgreSQL's driver from naming prepared statements where a proxy, such as
 * pgbouncer, may give each transaction another connection to the server. There a name may
 * be missing, or be that of another client's statement, which would run instead.
 */
final class PostgresProxies {

	private static final boolean DRIVER_PRESENT = ClassUtils.isPresent("org.postgresql.PGConnection",
			PostgresProxies.class.getClassLoader());

	private static final int NEVER = 0;

	private PostgresProxies() {
	}

	/**
	 * Return whether there is a proxy between the driver and the server. A proxy tells
	 * the driver a number of its own as that of the server's process, by which requests
	 * to cancel a statement find their connection.
	 * @param connection a connection to PostgreSQL
	 * @return whether the server's process has another number than the driver was told;
	 * {@code false} for another driver than PostgreSQL's own
	 * @throws SQLException if the database can't be asked
	 */
	static boolean isBetween(Connection connection) throws SQLException {
		return DRIVER_PRESENT && Driver.isBetween(connection);
	}

	/**
	 * Let a connection send statements without a name from now on.
	 * @param connection the connection
	 * @return after how many executions it has named a statement, for
	 * {@link #restore(Connection, int)}
	 * @throws SQLException if the connection is closed
	 */
	static int forbidNames(Connection connection) throws SQLException {
		return Driver.replaceThreshold(connection, NEVER);
	}

	static void restore(Connection connection, int threshold) throws SQLException {
		Driver.replaceThreshold(connection, threshold);
	}

	/**
	 * Loaded only where the driver is there.
	 */
	private static final class Driver {

		static boolean isBetween(Connection connection) throws SQLException {
			if (!connection.isWrapperFor(PGConnection.class)) {
				return false;
			}
			try (Statement statement = connection.createStatement();
					ResultSet process = statement.executeQuery("SELECT pg_backend_pid()")) {
				process.next();
				return process.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
			}
		}

		static int replaceThreshold(Connection connection, int threshold) throws SQLException {
			PGConnection driver = connection.unwrap(PGConnection.class);
			int before = driver.getPrepareThreshold();
			driver.setPrepareThreshold(threshold);
			return before;
		}

	}

}
