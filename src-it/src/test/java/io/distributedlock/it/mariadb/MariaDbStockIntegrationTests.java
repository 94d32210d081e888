package io.distributedlock.it.mariadb;

import javax.sql.DataSource;

import io.distributedlock.transaction.StockContract;

/**
 * Locks and transactions on MariaDB.
 */
class MariaDbStockIntegrationTests extends StockContract {

	@Override
	protected DataSource dataSource() {
		return MariaDbServer.database().dataSource();
	}

	@Override
	protected boolean refusesToOverwriteWhatWasNotSeen() {
		return false;
	}

}
