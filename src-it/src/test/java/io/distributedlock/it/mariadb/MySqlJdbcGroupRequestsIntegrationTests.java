package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcGroupRequestsContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The requests that groups take, with MySQL's dialect and driver.
 */
class MySqlJdbcGroupRequestsIntegrationTests extends JdbcGroupRequestsContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
