package io.distributedlock.backend.jdbc;

/**
 * A hot key in H2.
 */
class H2JdbcSharingTests extends JdbcSharingContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
