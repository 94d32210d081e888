package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcLockBackendContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The contract of all stores on PostgreSQL.
 */
class PostgresLockBackendContractIntegrationTests extends JdbcLockBackendContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
