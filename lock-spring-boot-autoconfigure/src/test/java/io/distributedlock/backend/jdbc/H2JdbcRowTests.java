package io.distributedlock.backend.jdbc;

/**
 * Rows with unusual contents in H2.
 */
class H2JdbcRowTests extends JdbcRowContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
