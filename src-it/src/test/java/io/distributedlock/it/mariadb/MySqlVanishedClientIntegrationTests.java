package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.JdbcVanishedClientContract;

/**
 * Another client that vanishes in a transaction, with MySQL's dialect and driver.
 */
class MySqlVanishedClientIntegrationTests extends JdbcVanishedClientContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
