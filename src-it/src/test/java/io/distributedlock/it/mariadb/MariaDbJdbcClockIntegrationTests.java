package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcClockContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * JVMs whose clocks differ, on MariaDB.
 */
class MariaDbJdbcClockIntegrationTests extends JdbcClockContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
