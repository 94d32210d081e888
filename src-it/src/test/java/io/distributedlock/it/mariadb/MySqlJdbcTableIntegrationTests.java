package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcTableContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Tables that were created by hand in MariaDB through MySQL's driver and statements.
 */
class MySqlJdbcTableIntegrationTests extends JdbcTableContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
