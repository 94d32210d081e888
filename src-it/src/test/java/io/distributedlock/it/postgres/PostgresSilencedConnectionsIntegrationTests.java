package io.distributedlock.it.postgres;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.jdbc.SilencedConnectionsContract;

class PostgresSilencedConnectionsIntegrationTests extends SilencedConnectionsContract {

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

}
