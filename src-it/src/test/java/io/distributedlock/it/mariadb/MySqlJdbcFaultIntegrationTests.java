package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcFaultContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Faults around MariaDB through MySQL's driver and statements.
 */
class MySqlJdbcFaultIntegrationTests extends JdbcFaultContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
