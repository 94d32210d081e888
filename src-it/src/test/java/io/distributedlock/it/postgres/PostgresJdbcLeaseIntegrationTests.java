package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcLeaseContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Leases in PostgreSQL.
 */
class PostgresJdbcLeaseIntegrationTests extends JdbcLeaseContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
