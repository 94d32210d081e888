package io.distributedlock.it.postgres;

import java.sql.SQLException;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTableContract;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Tables that were created by hand in PostgreSQL.
 */
class PostgresJdbcTableIntegrationTests extends JdbcTableContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

	@Test
	void userWhoMayNotSeeAllColumnsOfTheTableUsesItUnchecked() throws SQLException {
		JdbcLockSettings settings = handMade();
		database().createTables(settings);
		execute("ALTER TABLE hand_made ADD remark TEXT");
		execute("CREATE ROLE clerk LOGIN");
		try (HikariDataSource pool = PostgresServer.pool(4)) {
			pool.setUsername("clerk");
			pool.setJdbcUrl(PostgresServer.url().replaceAll("user=[^&]*", "user=clerk"));
			execute("GRANT INSERT, UPDATE, DELETE, SELECT (lock_key, owner, instance, token, acquired_at, expires_at,"
					+ " waiting_until, tick, shared_until, format) ON hand_made TO clerk");
			try (JdbcTestClient client = new JdbcTestClient(pool, settings)) {
				client.release(client.acquire("order:42"));
			}
		}
		finally {
			execute("DROP TABLE hand_made");
			execute("DROP ROLE clerk");
		}
	}

}
