package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcJanitorContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The janitor on PostgreSQL.
 */
class PostgresJanitorIntegrationTests extends JdbcJanitorContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
