package io.distributedlock.it.mariadb;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.jdbc.SilencedConnectionsContract;

class MariaDbSilencedConnectionsIntegrationTests extends SilencedConnectionsContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

	@Override
	protected int port() {
		return MariaDbServer.port();
	}

	@Override
	protected HikariDataSource pool(int port) {
		return MariaDbServer.pool(MariaDbServer.url().replace(":" + port(), ":" + port), 6);
	}

}
