package io.distributedlock.transaction;

import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;

class H2JpaTransactionTests extends JpaTransactionContract {

	private final HikariDataSource pool = new HikariDataSource();

	@Override
	protected DataSource dataSource() {
		this.pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000");
		return this.pool;
	}

	@AfterAll
	void closePool() {
		this.pool.close();
	}

}
