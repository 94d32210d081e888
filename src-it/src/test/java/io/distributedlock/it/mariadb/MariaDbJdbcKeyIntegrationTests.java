package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcKeyContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Keys in MariaDB.
 */
class MariaDbJdbcKeyIntegrationTests extends JdbcKeyContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
