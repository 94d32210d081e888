package io.distributedlock.it.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.net.FreePorts;

/**
 * One PostgreSQL server for all tests of a JVM, on 127.0.0.1; it ends with the JVM.
 */
public final class PostgresServer {

	private static final String USER = "postgres";

	private PostgresServer() {
	}

	/**
	 * Return the server's JDBC URL; starts it if need be.
	 * @return the URL, for user {@code postgres} without a password
	 */
	public static String url() {
		return Running.SERVER.getJdbcUrl(USER, "postgres");
	}

	/**
	 * Return the server's port on 127.0.0.1.
	 * @return the port
	 */
	public static int port() {
		return Running.SERVER.getPort();
	}

	/**
	 * Create a pool whose connections go through a proxy.
	 * @param port the port of the proxy on 127.0.0.1
	 * @return the pool, to be closed by the caller
	 */
	public static HikariDataSource poolThrough(int port) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=" + USER);
		return pool;
	}

	/**
	 * Create a pool.
	 * @param size how many connections it has at most
	 * @return the pool, to be closed by the caller
	 */
	public static HikariDataSource pool(int size) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url());
		pool.setMaximumPoolSize(size);
		pool.setMinimumIdle(0);
		return pool;
	}

	/**
	 * Return the database for tests of the store, with a pool of its own.
	 * @return the database
	 */
	public static JdbcTestDatabase database() {
		return new JdbcTestDatabase("postgresql", Running.POOL);
	}

	static EmbeddedPostgres.Builder builder(int port) {
		return EmbeddedPostgres.builder()
			.setPort(port)
			.setServerConfig("listen_addresses", "127.0.0.1")
			// None in a folder that others share, where a server that was killed leaves
			// a file behind.
			.setServerConfig("unix_socket_directories", "")
			// On a machine that does other things besides.
			.setPGStartupWait(Duration.ofMinutes(3));
	}

	// The first use of the class starts the server, in whichever test that is.
	private static final class Running {

		static final EmbeddedPostgres SERVER = start();

		static final HikariDataSource POOL = pool(80);

		private static EmbeddedPostgres start() {
			try {
				return builder(FreePorts.next()).start();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
