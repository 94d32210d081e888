package io.distributedlock.benchmarks.jdbc;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

import io.distributedlock.benchmarks.contest.Side;

/**
 * Spring Integration's registry with its default repository.
 */
final class SpringIntegrationJdbc implements Side {

	private final HikariDataSource pool;

	private final DefaultLockRepository repository;

	private final JdbcLockRegistry registry;

	/**
	 * Create the registry.
	 * @param url the URL, with the user
	 * @param timeType the type of times in the table
	 */
	SpringIntegrationJdbc(String url, String timeType) {
		this.pool = JdbcPools.open(url, """
				CREATE TABLE IF NOT EXISTS INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL,
				CLIENT_ID CHAR(36), CREATED_DATE %1$s NOT NULL, EXPIRED_AFTER %1$s NOT NULL,
				CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION))
				""".formatted(timeType));
		this.repository = new DefaultLockRepository(this.pool);
		this.repository.setTransactionManager(new DataSourceTransactionManager(this.pool));
		this.repository.afterPropertiesSet();
		this.repository.afterSingletonsInstantiated();
		this.repository.start();
		this.registry = new JdbcLockRegistry(this.repository);
	}

	@Override
	public Held acquire(String key) throws InterruptedException {
		Lock lock = this.registry.obtain(key);
		if (!lock.tryLock(10, TimeUnit.SECONDS)) {
			throw new IllegalStateException("The lock on " + key + " was busy for 10 s");
		}
		return lock::unlock;
	}

	@Override
	public void close() {
		this.repository.stop();
		this.pool.close();
	}

}
