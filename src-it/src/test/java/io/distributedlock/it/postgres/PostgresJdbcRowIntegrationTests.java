package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcRowContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Rows with unusual contents in PostgreSQL.
 */
class PostgresJdbcRowIntegrationTests extends JdbcRowContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
