package io.distributedlock.recipes;

import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;

class H2WithoutALockTests extends WithoutALockContract {

	private final HikariDataSource pool = new HikariDataSource();

	@Override
	protected DataSource dataSource() {
		this.pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID()
				+ ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
		this.pool.setMaximumPoolSize(16);
		this.pool.setMinimumIdle(0);
		return this.pool;
	}

	@AfterAll
	void closePool() {
		this.pool.close();
	}

}
