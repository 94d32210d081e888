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
	 * Return the server's JDBC URL. Starts the server if necessary.
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
	 * @param size the maximum number of connections
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
			// No socket in a shared folder, because a server that was killed leaves a
			// file there.
			.setServerConfig("unix_socket_directories", "")
			// Long enough for a busy machine.
			.setPGStartupWait(Duration.ofMinutes(3));
	}

	// Started by the first use of the class, in any test.
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
