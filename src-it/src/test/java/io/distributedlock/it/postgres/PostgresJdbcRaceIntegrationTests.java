package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcRaceContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Concurrent attempts in PostgreSQL.
 */
class PostgresJdbcRaceIntegrationTests extends JdbcRaceContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
