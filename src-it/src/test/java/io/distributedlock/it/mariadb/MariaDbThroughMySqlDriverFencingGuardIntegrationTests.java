package io.distributedlock.it.mariadb;

import javax.sql.DataSource;

import io.distributedlock.fencing.JdbcFencingGuardContract;

/**
 * The guard in MariaDB through MySQL's driver.
 */
class MariaDbThroughMySqlDriverFencingGuardIntegrationTests extends JdbcFencingGuardContract {

	@Override
	protected DataSource dataSource() {
		return MariaDbServer.throughMysqlDriver().dataSource();
	}

	@Override
	protected String platform() {
		return "mariadb";
	}

}
