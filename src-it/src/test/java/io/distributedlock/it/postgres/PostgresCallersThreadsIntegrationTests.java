package io.distributedlock.it.postgres;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.jdbc.CallersThreadsContract;

/**
 * Threads and statements of callers on PostgreSQL.
 */
class PostgresCallersThreadsIntegrationTests extends CallersThreadsContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

	@Override
	protected HikariDataSource pool(int size) {
		return PostgresServer.pool(size);
	}

}
