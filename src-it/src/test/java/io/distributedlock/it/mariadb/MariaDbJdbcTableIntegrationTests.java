package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcTableContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Tables that were created by hand in MariaDB.
 */
class MariaDbJdbcTableIntegrationTests extends JdbcTableContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
