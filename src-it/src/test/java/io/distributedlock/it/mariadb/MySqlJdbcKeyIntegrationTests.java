package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcKeyContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Keys in MariaDB through MySQL's driver and statements.
 */
class MySqlJdbcKeyIntegrationTests extends JdbcKeyContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
