package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcGroupRequestsContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The requests that groups take, on MariaDB.
 */
class MariaDbJdbcGroupRequestsIntegrationTests extends JdbcGroupRequestsContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
