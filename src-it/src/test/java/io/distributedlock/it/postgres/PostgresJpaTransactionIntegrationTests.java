package io.distributedlock.it.postgres;

import javax.sql.DataSource;

import io.distributedlock.transaction.JpaTransactionContract;

/**
 * Guards and locks in the transactions of JPA on PostgreSQL.
 */
class PostgresJpaTransactionIntegrationTests extends JpaTransactionContract {

	@Override
	protected DataSource dataSource() {
		return PostgresServer.database().dataSource();
	}

}
