package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

import org.postgresql.PGConnection;
import org.postgresql.PGResultSetMetaData;
import org.springframework.util.ClassUtils;

/**
 * Calls methods of PostgreSQL's driver that JDBC does not define, if that driver is
 * present.
 */
final class PostgresDriver {

	/**
	 * Whether the driver's classes are present.
	 */
	static final boolean PRESENT = ClassUtils.isPresent("org.postgresql.PGConnection",
			PostgresDriver.class.getClassLoader());

	/**
	 * The threshold that keeps the driver from naming prepared statements. A proxy may
	 * give each transaction another connection to the server. On that connection a name
	 * may be missing, or belong to another client's statement, which would run instead.
	 */
	static final int NO_NAMES = 0;

	private PostgresDriver() {
	}

	/**
	 * Return whether there is a proxy, such as pgbouncer, between the driver and the
	 * server. A proxy sends the driver a number of its own instead of the number of the
	 * server's process, which identifies the connection in requests to cancel a
	 * statement.
	 * @param connection a connection to PostgreSQL
	 * @return whether the server's process has another number than the driver received;
	 * {@code false} for another driver than PostgreSQL's own
	 * @throws SQLException if the database can't be asked
	 */
	static boolean isBehindProxy(Connection connection) throws SQLException {
		return PRESENT && Calls.isBehindProxy(connection);
	}

	/**
	 * Set after how many executions the driver names a prepared statement.
	 * @param connection the connection
	 * @param threshold the number, or {@link #NO_NAMES}
	 * @return the number before
	 * @throws SQLException if the connection is closed
	 */
	static int setPrepareThreshold(Connection connection, int threshold) throws SQLException {
		return Calls.setPrepareThreshold(connection, threshold);
	}

	/**
	 * Return the schema of the first column, for which this driver has a method of its
	 * own.
	 * @param columns the columns
	 * @return the schema, or an empty text if it is not known or the driver is another
	 * @throws SQLException if the driver fails
	 */
	static String schema(ResultSetMetaData columns) throws SQLException {
		return PRESENT ? Calls.schema(columns) : "";
	}

	/**
	 * Loaded only if the driver is present.
	 */
	private static final class Calls {

		static boolean isBehindProxy(Connection connection) throws SQLException {
			if (!connection.isWrapperFor(PGConnection.class)) {
				return false;
			}
			try (Statement statement = connection.createStatement();
					ResultSet process = statement.executeQuery("SELECT pg_backend_pid()")) {
				process.next();
				return process.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
			}
		}

		static int setPrepareThreshold(Connection connection, int threshold) throws SQLException {
			PGConnection driver = connection.unwrap(PGConnection.class);
			int before = driver.getPrepareThreshold();
			driver.setPrepareThreshold(threshold);
			return before;
		}

		static String schema(ResultSetMetaData columns) throws SQLException {
			return (columns instanceof PGResultSetMetaData own) ? Objects.toString(own.getBaseSchemaName(1), "") : "";
		}

	}

}
