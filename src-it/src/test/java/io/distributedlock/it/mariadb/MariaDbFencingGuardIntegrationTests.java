package io.distributedlock.it.mariadb;

import javax.sql.DataSource;

import io.distributedlock.fencing.JdbcFencingGuardContract;

/**
 * The guard in MariaDB.
 */
class MariaDbFencingGuardIntegrationTests extends JdbcFencingGuardContract {

	@Override
	protected DataSource dataSource() {
		return MariaDbServer.database().dataSource();
	}

	@Override
	protected String platform() {
		return "mariadb";
	}

}
