package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcStalledTransactionContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Another client that stalls in a transaction, on PostgreSQL.
 */
class PostgresStalledTransactionIntegrationTests extends JdbcStalledTransactionContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
