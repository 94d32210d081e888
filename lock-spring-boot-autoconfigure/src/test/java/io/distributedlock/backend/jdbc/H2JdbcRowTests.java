package io.distributedlock.backend.jdbc;

/**
 * What rows may hold in H2.
 */
class H2JdbcRowTests extends JdbcRowContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
