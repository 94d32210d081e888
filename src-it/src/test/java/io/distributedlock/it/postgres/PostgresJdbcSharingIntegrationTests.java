package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcSharingContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * A hot key in PostgreSQL.
 */
class PostgresJdbcSharingIntegrationTests extends JdbcSharingContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
