package io.distributedlock.backend.jdbc;

/**
 * Leases in H2.
 */
class H2JdbcLeaseTests extends JdbcLeaseContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
