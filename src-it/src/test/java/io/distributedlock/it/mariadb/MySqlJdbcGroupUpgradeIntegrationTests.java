package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcGroupUpgradeContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Groups beside the version before them, with MySQL's dialect and driver.
 */
class MySqlJdbcGroupUpgradeIntegrationTests extends JdbcGroupUpgradeContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
