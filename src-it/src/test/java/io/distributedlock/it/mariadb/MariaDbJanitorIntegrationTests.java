package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcJanitorContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The janitor on MariaDB.
 */
class MariaDbJanitorIntegrationTests extends JdbcJanitorContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
