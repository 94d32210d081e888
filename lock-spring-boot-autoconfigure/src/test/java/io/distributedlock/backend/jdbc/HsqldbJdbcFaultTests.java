package io.distributedlock.backend.jdbc;

/**
 * Faults around HSQLDB.
 */
class HsqldbJdbcFaultTests extends JdbcFaultContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("locks");
	}

}
