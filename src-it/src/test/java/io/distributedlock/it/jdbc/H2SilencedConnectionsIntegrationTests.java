package io.distributedlock.it.jdbc;

import java.sql.SQLException;

import com.zaxxer.hikari.HikariDataSource;
import org.h2.tools.Server;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * H2 over TCP, whose driver waits for an answer without end unless its URL says how long.
 */
class H2SilencedConnectionsIntegrationTests extends SilencedConnectionsContract {

	@Override
	protected JdbcTestDatabase database() {
		return new JdbcTestDatabase("h2", Running.POOL);
	}

	@Override
	protected int port() {
		return Running.SERVER.getPort();
	}

	@Override
	protected HikariDataSource pool(int port) {
		return Running.pool(port);
	}

	private static final class Running {

		static final Server SERVER = start();

		static final HikariDataSource POOL = pool(SERVER.getPort());

		private static Server start() {
			try {
				return Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-tcpDaemon").start();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		static HikariDataSource pool(int port) {
			HikariDataSource pool = new HikariDataSource();
			pool.setJdbcUrl("jdbc:h2:tcp://127.0.0.1:" + port + "/mem:silent;DB_CLOSE_DELAY=-1;NETWORK_TIMEOUT=1000");
			pool.setUsername("sa");
			return pool;
		}

	}

}
