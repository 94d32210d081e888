package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcGroupUpgradeContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Groups beside the version before them, on MariaDB.
 */
class MariaDbJdbcGroupUpgradeIntegrationTests extends JdbcGroupUpgradeContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
