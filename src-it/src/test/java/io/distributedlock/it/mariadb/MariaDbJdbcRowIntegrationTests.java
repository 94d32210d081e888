package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcRowContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Rows with unusual contents in MariaDB.
 */
class MariaDbJdbcRowIntegrationTests extends JdbcRowContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
