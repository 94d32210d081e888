package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcSeveralKeysContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Several keys that one request takes, on PostgreSQL.
 */
class PostgresJdbcSeveralKeysIntegrationTests extends JdbcSeveralKeysContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
