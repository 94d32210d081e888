package io.distributedlock.backend.jdbc;

/**
 * The contract of all stores on H2.
 */
class H2LockBackendContractTests extends JdbcLockBackendContract {

	@Override
	protected JdbcTestDatabase database() {
		return H2Database.create();
	}

}
