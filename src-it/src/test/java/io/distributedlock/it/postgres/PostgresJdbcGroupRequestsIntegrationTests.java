package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcGroupRequestsContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The requests that groups take, on PostgreSQL.
 */
class PostgresJdbcGroupRequestsIntegrationTests extends JdbcGroupRequestsContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
