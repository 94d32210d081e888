package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcKeyContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Keys in PostgreSQL.
 */
class PostgresJdbcKeyIntegrationTests extends JdbcKeyContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
