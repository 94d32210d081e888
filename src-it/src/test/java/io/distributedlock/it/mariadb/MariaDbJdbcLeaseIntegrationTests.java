package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcLeaseContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Leases in MariaDB.
 */
class MariaDbJdbcLeaseIntegrationTests extends JdbcLeaseContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

}
