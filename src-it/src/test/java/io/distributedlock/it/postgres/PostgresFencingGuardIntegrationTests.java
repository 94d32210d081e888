package io.distributedlock.it.postgres;

import javax.sql.DataSource;

import io.distributedlock.fencing.JdbcFencingGuardContract;

/**
 * The guard in PostgreSQL.
 */
class PostgresFencingGuardIntegrationTests extends JdbcFencingGuardContract {

	@Override
	protected DataSource dataSource() {
		return PostgresServer.database().dataSource();
	}

	@Override
	protected String platform() {
		return "postgresql";
	}

}
