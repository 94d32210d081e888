package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcFaultContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Faults around PostgreSQL.
 */
class PostgresJdbcFaultIntegrationTests extends JdbcFaultContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
