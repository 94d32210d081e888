package io.distributedlock.transaction;

import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;

class H2StockTests extends StockContract {

	private final HikariDataSource pool = new HikariDataSource();

	@Override
	protected DataSource dataSource() {
		this.pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		this.pool.setMaximumPoolSize(20);
		this.pool.setMinimumIdle(0);
		return this.pool;
	}

	@Override
	protected boolean refusesToOverwriteWhatWasNotSeen() {
		return true;
	}

	@AfterAll
	void closePool() {
		this.pool.close();
	}

}
