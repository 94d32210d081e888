package io.distributedlock.backend.jdbc;

/**
 * Concurrent attempts in HSQLDB, whose transactions conflict here.
 */
class HsqldbJdbcRaceTests extends JdbcRaceContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("mvcc");
	}

}
