package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcRaceContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Concurrent attempts in MariaDB through MySQL's driver and statements.
 */
class MySqlJdbcRaceIntegrationTests extends JdbcRaceContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
