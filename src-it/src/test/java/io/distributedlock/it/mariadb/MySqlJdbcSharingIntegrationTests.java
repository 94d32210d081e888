package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcSharingContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * A hot key in MariaDB through MySQL's driver and statements.
 */
class MySqlJdbcSharingIntegrationTests extends JdbcSharingContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
