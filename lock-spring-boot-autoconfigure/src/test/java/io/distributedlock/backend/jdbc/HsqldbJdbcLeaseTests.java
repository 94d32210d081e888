package io.distributedlock.backend.jdbc;

/**
 * Leases in HSQLDB.
 */
class HsqldbJdbcLeaseTests extends JdbcLeaseContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("locks");
	}

	@Override
	protected int statementsForAMissingRow() {
		return 4;
	}

	@Override
	protected int statementsForARow() {
		return 2;
	}

}
