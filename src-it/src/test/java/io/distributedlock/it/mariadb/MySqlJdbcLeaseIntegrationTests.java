package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcLeaseContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Leases in MariaDB through MySQL's driver and statements.
 */
class MySqlJdbcLeaseIntegrationTests extends JdbcLeaseContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

	@Override
	protected int statementsForAMissingRow() {
		return 3;
	}

}
