package io.distributedlock.backend.jdbc;

/**
 * The janitor on H2.
 */
class H2JanitorTests extends JanitorContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
