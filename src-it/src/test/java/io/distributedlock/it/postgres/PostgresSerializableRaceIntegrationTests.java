package io.distributedlock.it.postgres;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;

import io.distributedlock.backend.jdbc.JdbcRaceContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;

/**
 * Concurrent attempts in PostgreSQL with serializable transactions as its default.
 */
class PostgresSerializableRaceIntegrationTests extends JdbcRaceContract {

	private static final HikariDataSource POOL = serializable();

	private static HikariDataSource serializable() {
		HikariDataSource pool = PostgresServer.pool(20);
		pool.setConnectionInitSql("SET default_transaction_isolation = 'serializable'");
		return pool;
	}

	@AfterAll
	static void close() {
		POOL.close();
	}

	@Override
	protected JdbcTestDatabase database() {
		return new JdbcTestDatabase("postgresql", POOL);
	}

}
