package io.distributedlock.backend.jdbc;

/**
 * The contract of all stores on HSQLDB.
 */
class HsqldbLockBackendContractTests extends JdbcLockBackendContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("locks");
	}

}
