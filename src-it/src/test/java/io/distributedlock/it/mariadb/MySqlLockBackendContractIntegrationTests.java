package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcLockBackendContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.FurtherTopology;

/**
 * The contract of all stores with MySQL's dialect and driver, on MariaDB.
 */
@FurtherTopology
class MySqlLockBackendContractIntegrationTests extends JdbcLockBackendContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
