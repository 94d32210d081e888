package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcStalledTransactionContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Another client that stalls in a transaction, with MySQL's dialect and driver.
 */
class MySqlStalledTransactionIntegrationTests extends JdbcStalledTransactionContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

}
