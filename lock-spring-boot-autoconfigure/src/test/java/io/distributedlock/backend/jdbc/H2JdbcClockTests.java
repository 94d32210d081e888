package io.distributedlock.backend.jdbc;

/**
 * JVMs whose clocks differ, on H2.
 */
class H2JdbcClockTests extends JdbcClockContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
