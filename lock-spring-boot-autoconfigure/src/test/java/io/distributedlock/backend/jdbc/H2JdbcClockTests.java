package io.distributedlock.backend.jdbc;

/**
 * JVMs whose clocks disagree, at H2.
 */
class H2JdbcClockTests extends JdbcClockContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
