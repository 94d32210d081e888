package io.distributedlock.backend.jdbc;

import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * H2 in memory, a new one each time.
 */
final class H2Database {

	private static final AtomicInteger number = new AtomicInteger();

	private H2Database() {
	}

	static JdbcTestDatabase create() {
		return new JdbcTestDatabase("h2", JdbcConnectionPool.create(url(), "sa", ""));
	}

	static String url() {
		return "jdbc:h2:mem:locks" + number.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
	}

	static HikariDataSource pool(String url, int size) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setUsername("sa");
		pool.setMaximumPoolSize(size);
		pool.setConnectionTimeout(30_000);
		return pool;
	}

}
