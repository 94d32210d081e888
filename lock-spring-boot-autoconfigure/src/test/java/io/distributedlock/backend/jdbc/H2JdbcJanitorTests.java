package io.distributedlock.backend.jdbc;

/**
 * The janitor on H2.
 */
class H2JdbcJanitorTests extends JdbcJanitorContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
