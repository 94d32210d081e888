package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcLeaseContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Leases in MariaDB through MySQL's driver, which takes the server for MySQL.
 */
class MariaDbThroughMySqlDriverIntegrationTests extends JdbcLeaseContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.throughMysqlDriver();
	}

}
