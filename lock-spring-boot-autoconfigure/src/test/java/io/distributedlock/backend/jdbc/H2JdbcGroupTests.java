package io.distributedlock.backend.jdbc;

/**
 * Groups whose members change at the same time, on H2.
 */
class H2JdbcGroupTests extends JdbcGroupContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
