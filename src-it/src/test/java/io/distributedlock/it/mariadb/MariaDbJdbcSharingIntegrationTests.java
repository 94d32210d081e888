package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcSharingContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * A hot key in MariaDB.
 */
class MariaDbJdbcSharingIntegrationTests extends JdbcSharingContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
