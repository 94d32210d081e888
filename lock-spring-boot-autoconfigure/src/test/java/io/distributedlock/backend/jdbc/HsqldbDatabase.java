package io.distributedlock.backend.jdbc;

import java.util.concurrent.atomic.AtomicInteger;

import org.hsqldb.jdbc.JDBCDataSource;

/**
 * HSQLDB in memory, a new one each time. It represents unknown databases.
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
		JDBCDataSource connections = new JDBCDataSource();
		connections.setUrl("jdbc:hsqldb:mem:locks" + number.incrementAndGet() + ";hsqldb.tx=" + transactions);
		connections.setUser("sa");
		return new JdbcTestDatabase("portable", connections);
	}

}
