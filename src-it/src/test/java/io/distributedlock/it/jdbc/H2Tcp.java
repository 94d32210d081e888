package io.distributedlock.it.jdbc;

import java.sql.SQLException;

import com.zaxxer.hikari.HikariDataSource;
import org.h2.tools.Server;

/**
 * One H2 server with access over TCP, for all tests of a JVM.
 */
final class H2Tcp {

	private static final Server SERVER = start();

	private H2Tcp() {
	}

	private static Server start() {
		try {
			return Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-tcpDaemon").start();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static int port() {
		return SERVER.getPort();
	}

	/**
	 * Create a pool.
	 * @param port the port of the server, or of a proxy in front of it
	 * @return the pool, to be closed by the caller
	 */
	static HikariDataSource pool(int port) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl("jdbc:h2:tcp://127.0.0.1:" + port + "/mem:locks;DB_CLOSE_DELAY=-1;NETWORK_TIMEOUT=1000");
		pool.setUsername("sa");
		return pool;
	}

}
