package io.distributedlock.it.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.springframework.util.FileSystemUtils;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.process.InstalledPrograms;

/**
 * One {@code pgbouncer} on 127.0.0.1 in front of the tests' PostgreSQL server, with few
 * connections to it. It ends with the JVM.
 */
final class PgBouncer implements AutoCloseable {

	private final int port = FreePorts.next();

	private final Path directory;

	private final Process process;

	private PgBouncer(String mode) {
		try {
			this.directory = Files.createTempDirectory("lock-pgbouncer");
			Path settings = this.directory.resolve("pgbouncer.ini");
			Files.writeString(settings, """
					[databases]
					postgres = host=127.0.0.1 port=%d dbname=postgres user=postgres
					[pgbouncer]
					listen_addr = 127.0.0.1
					listen_port = %d
					unix_socket_dir =
					auth_type = any
					pool_mode = %s
					default_pool_size = 5
					max_client_conn = 500
					ignore_startup_parameters = extra_float_digits
					%s
					""".formatted(PostgresServer.port(), this.port, mode, unprivileged()));
			// For the user as which it runs if the tests run as root.
			Files.setPosixFilePermissions(this.directory, PosixFilePermissions.fromString("rwxr-xr-x"));
			Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));
			String program = InstalledPrograms.find("pgbouncer").orElseThrow().toString();
			this.process = new ProcessBuilder(program, settings.toString()).redirectErrorStream(true)
				.redirectOutput(this.directory.resolve("log").toFile())
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
		Awaitility.await("pgbouncer").atMost(Duration.ofSeconds(30)).until(this::answers);
	}

	/**
	 * pgbouncer refuses to run as root.
	 */
	private static String unprivileged() {
		return "root".equals(System.getProperty("user.name")) ? "user = nobody" : "";
	}

	/**
	 * Start one.
	 * @param mode when a connection is given to another client: after a {@code session},
	 * a {@code transaction} or a {@code statement}
	 */
	static PgBouncer start(String mode) {
		return new PgBouncer(mode);
	}

	String url() {
		return "jdbc:postgresql://127.0.0.1:" + this.port + "/postgres?user=postgres";
	}

	/**
	 * Create a pool of connections through this pgbouncer.
	 * @param size the maximum number of connections
	 * @return the pool, to be closed by the caller
	 */
	HikariDataSource pool(int size) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url());
		pool.setMaximumPoolSize(size);
		pool.setMinimumIdle(0);
		return pool;
	}

	private boolean answers() {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("pgbouncer has ended: " + log());
		}
		try (Connection connection = DriverManager.getConnection(url())) {
			return connection.isValid(1);
		}
		catch (Exception ex) {
			return false;
		}
	}

	private String log() {
		try {
			return Files.readString(this.directory.resolve("log"));
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	/**
	 * Return the database behind a pgbouncer in transaction mode, which the tests of a
	 * JVM share.
	 */
	static JdbcTestDatabase database() {
		return new JdbcTestDatabase("postgresql", Shared.POOL);
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		try {
			this.process.waitFor();
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	// Started by the first use of the class, in any test.
	private static final class Shared {

		static final HikariDataSource POOL = start("transaction").pool(80);

	}

}
