package io.distributedlock.it.postgres;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import io.distributedlock.it.net.FreePorts;

/**
 * A PostgreSQL server of a single test. The test may stop it, kill it, restart it on the
 * same port, and create a follower.
 */
final class PostgresInstance implements AutoCloseable {

	private final Path data;

	private final int port = FreePorts.next();

	private @Nullable EmbeddedPostgres server;

	private PostgresInstance(Path data) {
		this.data = data;
	}

	static PostgresInstance start(Path data) throws IOException {
		PostgresInstance started = new PostgresInstance(data);
		started.start();
		return started;
	}

	void start() throws IOException {
		this.server = PostgresServer.builder(this.port)
			.setDataDirectory(this.data)
			.setCleanDataDirectory(false)
			// Otherwise an argument disables the wait at commits, which no file can
			// override.
			.setServerConfig("synchronous_commit", "remote_apply")
			.start();
	}

	/**
	 * Stop as an administrator does: connections are closed, and all commits are on disk.
	 */
	void stop() throws IOException {
		EmbeddedPostgres current = this.server;
		this.server = null;
		if (current != null) {
			current.close();
		}
	}

	/**
	 * Kill the parent of all processes of the server. The others end with it, and another
	 * server may use its files only after that.
	 */
	void kill() throws IOException {
		long pid = Long.parseLong(Files.readAllLines(this.data.resolve("postmaster.pid")).get(0).trim());
		ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
		List<ProcessHandle> all = Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
		postmaster.destroyForcibly();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
		// Clears the state of the server, so that another one may use its files.
		stop();
	}

	/**
	 * Copy this server to a follower. Restarts this server, because its files are copied,
	 * and makes it wait for the follower at each commit.
	 */
	PostgresInstance startFollower(Path copy) throws IOException {
		stop();
		copy(this.data, copy);
		Files.createFile(copy.resolve("standby.signal"));
		Files.writeString(copy.resolve("postgresql.auto.conf"),
				"primary_conninfo = 'host=127.0.0.1 port=" + this.port + " user=postgres'\n");
		// Before the start, because a running server applies it only some time after a
		// reload.
		Files.writeString(this.data.resolve("postgresql.auto.conf"), "synchronous_standby_names = '*'\n",
				StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		start();
		PostgresInstance follower = new PostgresInstance(copy);
		follower.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(this::isFollowed);
		return follower;
	}

	void promote() {
		execute("SELECT pg_promote()");
	}

	private boolean isFollowed() throws SQLException {
		try (Connection connection = connect();
				Statement statement = connection.createStatement();
				ResultSet rows = statement
					.executeQuery("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")) {
			return rows.next();
		}
	}

	private void execute(String sql) {
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	// Waits as long as necessary, unlike a pool.
	private Connection connect() throws SQLException {
		return DriverManager.getConnection(url());
	}

	private String url() {
		return "jdbc:postgresql://127.0.0.1:" + this.port + "/postgres?user=postgres";
	}

	/**
	 * Create a pool that fails soon if the server is down.
	 */
	HikariDataSource pool(int size) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url());
		pool.setMaximumPoolSize(size);
		pool.setMinimumIdle(0);
		pool.setConnectionTimeout(1000);
		return pool;
	}

	@Override
	public void close() throws IOException {
		stop();
	}

	private static void copy(Path from, Path to) throws IOException {
		Files.walkFileTree(from, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
				Files.copy(folder, to.resolve(from.relativize(folder)), StandardCopyOption.COPY_ATTRIBUTES);
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
				return FileVisitResult.CONTINUE;
			}

		});
	}

}
