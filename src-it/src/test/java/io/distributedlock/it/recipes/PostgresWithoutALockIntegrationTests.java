package io.distributedlock.it.recipes;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.recipes.WithoutALockContract;

/**
 * Changes that PostgreSQL keeps apart without a lock.
 */
class PostgresWithoutALockIntegrationTests extends WithoutALockContract {

	private static final String SCHEMA = "without_a_lock";

	private final HikariDataSource pool = PostgresServer.pool(16);

	@Override
	protected DataSource dataSource() {
		new JdbcTemplate(PostgresServer.database().dataSource()).execute("CREATE SCHEMA " + SCHEMA);
		this.pool.setSchema(SCHEMA);
		return this.pool;
	}

	@AfterAll
	void closePool() {
		this.pool.close();
	}

}
