package io.distributedlock.backend.jdbc;

/**
 * Groups beside the version before them, on HSQLDB.
 */
class HsqldbJdbcGroupUpgradeTests extends JdbcGroupUpgradeContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("locks");
	}

}
