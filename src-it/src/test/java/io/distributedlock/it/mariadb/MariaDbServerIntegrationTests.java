package io.distributedlock.it.mariadb;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * A MariaDB server.
 */
class MariaDbServerIntegrationTests extends MariaDbServerContract {

	@Override
	JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

	@Override
	String url() {
		return MariaDbServer.url();
	}

}
