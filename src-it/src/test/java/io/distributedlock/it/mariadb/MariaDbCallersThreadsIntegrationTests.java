package io.distributedlock.it.mariadb;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.jdbc.CallersThreadsContract;

/**
 * Threads and statements of callers on MariaDB.
 */
class MariaDbCallersThreadsIntegrationTests extends CallersThreadsContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

	@Override
	protected HikariDataSource pool(int size) {
		return MariaDbServer.pool(MariaDbServer.url(), size);
	}

}
