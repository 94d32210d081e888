package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcRowContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * What rows may hold in MariaDB.
 */
class MariaDbJdbcRowIntegrationTests extends JdbcRowContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
