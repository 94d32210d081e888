package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JanitorContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The janitor on PostgreSQL.
 */
class PostgresJanitorIntegrationTests extends JanitorContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
