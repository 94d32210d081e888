package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcFaultContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Faults around MariaDB.
 */
class MariaDbJdbcFaultIntegrationTests extends JdbcFaultContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
