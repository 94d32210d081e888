package io.distributedlock.backend.jdbc;

/**
 * What rows may hold in HSQLDB, by standard SQL.
 */
class HsqldbJdbcRowTests extends JdbcRowContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("mvcc");
	}

}
