package io.distributedlock.it.mariadb;

import javax.sql.DataSource;

import io.distributedlock.transaction.JpaTransactionContract;

/**
 * Guards and locks in the transactions of JPA on MariaDB.
 */
class MariaDbJpaTransactionIntegrationTests extends JpaTransactionContract {

	@Override
	protected DataSource dataSource() {
		return MariaDbServer.database().dataSource();
	}

}
