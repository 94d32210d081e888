package io.distributedlock.it.jdbc;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;

class H2WaitingCrowdIntegrationTests extends WaitingCrowdContract {

	private static final HikariDataSource POOL = H2Tcp.pool(H2Tcp.port());

	@Override
	protected JdbcTestDatabase database() {
		return new JdbcTestDatabase("h2", POOL);
	}

	@Override
	protected int port() {
		return H2Tcp.port();
	}

	@Override
	protected HikariDataSource pool(int port) {
		return H2Tcp.pool(port);
	}

	@Override
	protected long mostPackets() {
		return 5_000;
	}

}
