package io.distributedlock.backend.jdbc;

/**
 * A hot key in HSQLDB, by standard SQL.
 */
class HsqldbJdbcSharingTests extends JdbcSharingContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("mvcc");
	}

}
