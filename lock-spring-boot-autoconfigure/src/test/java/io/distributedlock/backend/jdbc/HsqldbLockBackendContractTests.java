package io.distributedlock.backend.jdbc;

import org.junit.jupiter.api.Tag;

/**
 * The contract of all stores on HSQLDB.
 */
@Tag("topology")
class HsqldbLockBackendContractTests extends JdbcLockBackendContract {

	@Override
	protected JdbcTestDatabase database() {
		return HsqldbDatabase.create("locks");
	}

}
