package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcRowContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Rows with unusual contents in MariaDB through MySQL's driver and statements.
 */
class MySqlJdbcRowIntegrationTests extends JdbcRowContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
