package io.distributedlock.it.handover;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.it.postgres.PostgresServer;

/**
 * Hand-over on PostgreSQL.
 */
class PostgresHandOverIntegrationTests extends JdbcHandOverContract {

	@Override
	protected String platform() {
		return "postgresql";
	}

	@Override
	protected HikariDataSource pool() {
		return PostgresServer.pool(10);
	}

}
