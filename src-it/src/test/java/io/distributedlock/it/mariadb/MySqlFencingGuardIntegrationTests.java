package io.distributedlock.it.mariadb;

import javax.sql.DataSource;

import io.distributedlock.fencing.FencingGuard;
import io.distributedlock.fencing.JdbcFencingGuardContract;

/**
 * The guard in MariaDB through MySQL's driver with a statement for each step.
 */
class MySqlFencingGuardIntegrationTests extends JdbcFencingGuardContract {

	@Override
	protected DataSource dataSource() {
		return MariaDbServer.mysql().dataSource();
	}

	@Override
	protected String platform() {
		return "mysql";
	}

	@Override
	protected FencingGuard guard(DataSource dataSource) {
		return inSteps(dataSource);
	}

}
