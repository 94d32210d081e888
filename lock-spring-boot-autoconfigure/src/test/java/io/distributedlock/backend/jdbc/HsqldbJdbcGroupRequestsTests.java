package io.distributedlock.backend.jdbc;

/**
 * The requests that groups take, on HSQLDB.
 */
class HsqldbJdbcGroupRequestsTests extends JdbcGroupRequestsContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("locks");
	}

}
