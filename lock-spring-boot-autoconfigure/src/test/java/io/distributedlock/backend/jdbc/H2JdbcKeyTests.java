package io.distributedlock.backend.jdbc;

/**
 * Keys in H2.
 */
class H2JdbcKeyTests extends JdbcKeyContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
