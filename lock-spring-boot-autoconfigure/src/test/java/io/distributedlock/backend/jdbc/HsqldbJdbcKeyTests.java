package io.distributedlock.backend.jdbc;

/**
 * Keys in HSQLDB.
 */
class HsqldbJdbcKeyTests extends JdbcKeyContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("locks");
	}

}
