package io.distributedlock.it.handover;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.spi.OwnerId;

/**
 * Hand-over on H2.
 */
class H2HandOverIntegrationTests extends JdbcHandOverContract {

	private static final String URL = "jdbc:h2:mem:" + OwnerId.random().value() + ";DB_CLOSE_DELAY=-1";

	@Override
	protected String platform() {
		return "h2";
	}

	@Override
	protected HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(URL);
		pool.setUsername("sa");
		return pool;
	}

}
