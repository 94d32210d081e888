package io.distributedlock.it.jdbc;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Silent connections to H2 over TCP, whose driver waits for an answer forever unless its
 * URL sets a timeout.
 */
class H2SilencedConnectionsIntegrationTests extends SilencedConnectionsContract {

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

}
