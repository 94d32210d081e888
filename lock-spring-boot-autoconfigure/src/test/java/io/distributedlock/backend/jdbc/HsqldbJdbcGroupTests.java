package io.distributedlock.backend.jdbc;

/**
 * Groups whose members change at the same time, on HSQLDB.
 */
class HsqldbJdbcGroupTests extends JdbcGroupContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("mvcc");
	}

}
