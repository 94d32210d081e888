package io.distributedlock.backend.jdbc;

/**
 * Tables that were created by hand in H2.
 */
class H2JdbcTableTests extends JdbcTableContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
