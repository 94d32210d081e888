package io.distributedlock.backend.jdbc;

/**
 * The requests that groups take, on H2.
 */
class H2JdbcGroupRequestsTests extends JdbcGroupRequestsContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
