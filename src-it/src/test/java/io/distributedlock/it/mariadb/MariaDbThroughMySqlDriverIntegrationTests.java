package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcLeaseContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Leases in MariaDB through MySQL's driver, which reports the server as MySQL.
 */
class MariaDbThroughMySqlDriverIntegrationTests extends JdbcLeaseContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.throughMysqlDriver();
	}

}
