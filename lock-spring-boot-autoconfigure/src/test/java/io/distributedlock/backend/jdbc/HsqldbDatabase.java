package io.distributedlock.backend.jdbc;

import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;

/**
 * HSQLDB in memory, a new one each time; it stands for databases of which nothing is
 * known.
 */
final class HsqldbDatabase {

	private static final AtomicInteger number = new AtomicInteger();

	private HsqldbDatabase() {
	}

	/**
	 * Create a database.
	 * @param transactions how it isolates transactions: {@code locks} or {@code mvcc}
	 * @return the database
	 */
	static JdbcTestDatabase create(String transactions) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl("jdbc:hsqldb:mem:locks" + number.incrementAndGet() + ";hsqldb.tx=" + transactions);
		pool.setUsername("sa");
		pool.setMaximumPoolSize(20);
		pool.setMinimumIdle(0);
		return new JdbcTestDatabase("portable", pool);
	}

}
