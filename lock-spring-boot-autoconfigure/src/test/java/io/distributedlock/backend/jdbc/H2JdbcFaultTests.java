package io.distributedlock.backend.jdbc;

/**
 * Faults around H2.
 */
class H2JdbcFaultTests extends JdbcFaultContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
