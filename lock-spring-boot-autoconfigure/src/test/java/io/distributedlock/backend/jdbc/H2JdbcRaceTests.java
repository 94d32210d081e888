package io.distributedlock.backend.jdbc;

/**
 * Concurrent attempts in H2.
 */
class H2JdbcRaceTests extends JdbcRaceContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
