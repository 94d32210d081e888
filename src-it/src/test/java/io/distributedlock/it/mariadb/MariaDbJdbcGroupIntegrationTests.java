package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcGroupContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Groups whose members change at the same time, on MariaDB.
 */
class MariaDbJdbcGroupIntegrationTests extends JdbcGroupContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
