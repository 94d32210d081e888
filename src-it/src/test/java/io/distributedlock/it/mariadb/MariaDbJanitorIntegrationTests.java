package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JanitorContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * The janitor on MariaDB.
 */
class MariaDbJanitorIntegrationTests extends JanitorContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
