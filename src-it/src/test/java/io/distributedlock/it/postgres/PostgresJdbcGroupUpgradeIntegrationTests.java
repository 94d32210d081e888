package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcGroupUpgradeContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Groups beside the version before them, on PostgreSQL.
 */
class PostgresJdbcGroupUpgradeIntegrationTests extends JdbcGroupUpgradeContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

}
