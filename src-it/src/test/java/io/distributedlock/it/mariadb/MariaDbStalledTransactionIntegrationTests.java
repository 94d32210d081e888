package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcStalledTransactionContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Another client that stalls in a transaction, on MariaDB.
 */
class MariaDbStalledTransactionIntegrationTests extends JdbcStalledTransactionContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
