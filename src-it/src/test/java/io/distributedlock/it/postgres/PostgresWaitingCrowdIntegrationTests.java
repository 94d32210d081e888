package io.distributedlock.it.postgres;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.jdbc.WaitingCrowdContract;

class PostgresWaitingCrowdIntegrationTests extends WaitingCrowdContract {

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

	@Override
	protected int port() {
		return PostgresServer.port();
	}

	@Override
	protected HikariDataSource pool(int port) {
		return PostgresServer.poolThrough(port);
	}

	@Override
	protected long mostPackets() {
		// Each waiter polls every 5 s with two statements.
		return 20_000;
	}

}
