package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcClockContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * JVMs whose clocks differ, on PostgreSQL.
 */
class PostgresJdbcClockIntegrationTests extends JdbcClockContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
