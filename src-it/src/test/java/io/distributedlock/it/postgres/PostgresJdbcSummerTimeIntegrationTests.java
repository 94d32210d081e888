package io.distributedlock.it.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;

import javax.sql.DataSource;

import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.backend.jdbc.JdbcSummerTimeContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.PreparedSessions;

/**
 * The changes to and from summer time on PostgreSQL. A function in another schema
 * replaces the clock.
 */
class PostgresJdbcSummerTimeIntegrationTests extends JdbcSummerTimeContract {

	@BeforeAll
	static void createClock() throws SQLException {
		try (Connection connection = PostgresServer.database().dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE SCHEMA IF NOT EXISTS standing");
			statement.execute("CREATE OR REPLACE FUNCTION standing.clock_timestamp() RETURNS timestamptz"
					+ " LANGUAGE sql VOLATILE AS 'SELECT current_setting(''test.now'')::timestamptz'");
		}
	}

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

	@Override
	protected DataSource sessionsAt(Instant now) {
		return new PreparedSessions(database().dataSource(),
				"SET search_path = standing, pg_catalog, public; SET TIME ZONE 'Europe/Berlin'; SET test.now = '" + now
						+ "'",
				"SET search_path = DEFAULT; SET TIME ZONE DEFAULT; RESET test.now");
	}

}
