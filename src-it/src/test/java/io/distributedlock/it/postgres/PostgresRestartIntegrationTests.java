package io.distributedlock.it.postgres;

import java.nio.file.Path;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.backend.jdbc.JdbcRestartContract;

/**
 * PostgreSQL restarts.
 */
class PostgresRestartIntegrationTests extends JdbcRestartContract {

	@TempDir
	static Path folder;

	private static PostgresInstance server;

	@BeforeAll
	static void startServer() throws Exception {
		server = PostgresInstance.start(folder.resolve("data"));
	}

	@AfterAll
	static void stopServer() throws Exception {
		server.close();
	}

	@Override
	protected String platform() {
		return "postgresql";
	}

	@Override
	protected HikariDataSource newPool() {
		return server.pool(8);
	}

	@Override
	protected void halt(Halt halt) throws Exception {
		if (halt == Halt.KILL) {
			server.kill();
		}
		else {
			server.stop();
		}
	}

	@Override
	protected void startAgain() throws Exception {
		server.start();
	}

}
