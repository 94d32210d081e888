package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcGroupContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Groups whose members change at the same time, with MySQL's dialect and driver.
 */
class MySqlJdbcGroupIntegrationTests extends JdbcGroupContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
