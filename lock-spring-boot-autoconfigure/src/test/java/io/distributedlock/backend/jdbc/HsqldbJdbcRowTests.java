package io.distributedlock.backend.jdbc;

/**
 * Rows with unusual contents in HSQLDB, by standard SQL.
 */
class HsqldbJdbcRowTests extends JdbcRowContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("mvcc");
	}

}
