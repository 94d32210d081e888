package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcGroupFlawContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Broken rules of the statements for groups are found on PostgreSQL.
 */
class PostgresJdbcGroupFlawIntegrationTests extends JdbcGroupFlawContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
