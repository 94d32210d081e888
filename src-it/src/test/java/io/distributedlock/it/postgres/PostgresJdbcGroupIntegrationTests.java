package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcGroupContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Groups whose members change at the same time, on PostgreSQL.
 */
class PostgresJdbcGroupIntegrationTests extends JdbcGroupContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
