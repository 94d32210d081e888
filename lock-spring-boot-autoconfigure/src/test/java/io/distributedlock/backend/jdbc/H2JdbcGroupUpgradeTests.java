package io.distributedlock.backend.jdbc;

/**
 * Groups beside the version before them, on H2.
 */
class H2JdbcGroupUpgradeTests extends JdbcGroupUpgradeContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
