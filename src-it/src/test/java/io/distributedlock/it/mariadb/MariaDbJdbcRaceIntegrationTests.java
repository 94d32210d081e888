package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcRaceContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Concurrent attempts in MariaDB.
 */
class MariaDbJdbcRaceIntegrationTests extends JdbcRaceContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
