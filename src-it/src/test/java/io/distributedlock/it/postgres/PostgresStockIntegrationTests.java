package io.distributedlock.it.postgres;

import javax.sql.DataSource;

import io.distributedlock.transaction.StockContract;

/**
 * Locks and transactions on PostgreSQL.
 */
class PostgresStockIntegrationTests extends StockContract {

	@Override
	protected DataSource dataSource() {
		return PostgresServer.database().dataSource();
	}

	@Override
	protected boolean refusesToOverwriteWhatWasNotSeen() {
		return true;
	}

}
