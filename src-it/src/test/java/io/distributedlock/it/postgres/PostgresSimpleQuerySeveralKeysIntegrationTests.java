package io.distributedlock.it.postgres;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.backend.jdbc.JdbcSeveralKeysContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Several keys that one request takes, on PostgreSQL, if the driver sends both statements
 * as one text.
 */
class PostgresSimpleQuerySeveralKeysIntegrationTests extends JdbcSeveralKeysContract {

	private static HikariDataSource pool;

	@BeforeAll
	static void connect() {
		pool = PostgresServer.pool(20);
		pool.setJdbcUrl(PostgresServer.url() + "&preferQueryMode=simple");
	}

	@AfterAll
	static void disconnect() {
		pool.close();
	}

	@Override
	protected JdbcTestDatabase database() {
		return new JdbcTestDatabase("postgresql", pool);
	}

}
