package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcLockBackendContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The contract of all stores on MariaDB.
 */
class MariaDbLockBackendContractIntegrationTests extends JdbcLockBackendContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
