package io.distributedlock.backend.jdbc;

/**
 * Tables that were created by hand in HSQLDB, by standard SQL.
 */
class HsqldbJdbcTableTests extends JdbcTableContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("mvcc");
	}

}
