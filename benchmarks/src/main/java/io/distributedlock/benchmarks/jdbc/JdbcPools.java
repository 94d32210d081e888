package io.distributedlock.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The connection pools of the sides. Each has its own, in the size that Spring Boot gives
 * an application.
 */
final class JdbcPools {

	private JdbcPools() {
	}

	/**
	 * Create a pool with Hikari's defaults, among them ten connections.
	 * @param url the URL, with the user
	 * @param table the statement that creates the table of the side
	 * @return the pool, to be closed by the caller
	 */
	static HikariDataSource open(String url, String table) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		new JdbcTemplate(pool).execute(table);
		return pool;
	}

}
