package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcGroupFlawContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Broken rules of the transactions for groups are found on MariaDB.
 */
class MySqlJdbcGroupFlawIntegrationTests extends JdbcGroupFlawContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
