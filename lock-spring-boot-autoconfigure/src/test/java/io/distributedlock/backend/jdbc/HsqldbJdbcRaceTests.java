package io.distributedlock.backend.jdbc;

/**
 * Many at once in HSQLDB, whose transactions run into each other here.
 */
class HsqldbJdbcRaceTests extends JdbcRaceContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("mvcc");
	}

}
