package io.distributedlock.it.postgres;

import io.distributedlock.backend.jdbc.JdbcLockBackendContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.process.RequiresProgram;

/**
 * The contract of all stores on PostgreSQL behind a pgbouncer in transaction mode.
 */
@FurtherTopology
@RequiresProgram(value = "pgbouncer", debianPackage = "pgbouncer")
class PgBouncerLockBackendContractIntegrationTests extends JdbcLockBackendContract {

	@Override
	protected JdbcTestDatabase database() {
		return PgBouncer.database();
	}

}
