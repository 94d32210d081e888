package io.distributedlock.benchmarks.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.benchmarks.contest.Side;

/**
 * ShedLock with the database's time, as it recommends. It does not wait, so this side
 * tries again after a moment.
 */
final class ShedLockJdbc implements Side {

	private final HikariDataSource pool;

	private final LockProvider provider;

	ShedLockJdbc(String url) {
		this.pool = JdbcPools.open(url, """
				CREATE TABLE IF NOT EXISTS shedlock (name VARCHAR(64) NOT NULL, lock_until TIMESTAMP(3) NOT NULL,
				locked_at TIMESTAMP(3) NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))
				""");
		this.provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
			.withJdbcTemplate(new JdbcTemplate(this.pool))
			.usingDbTime()
			.build());
	}

	@Override
	public Held acquire(String key) throws InterruptedException {
		while (true) {
			Optional<SimpleLock> lock = this.provider
				.lock(new LockConfiguration(Instant.now(), key, Duration.ofSeconds(30), Duration.ZERO));
			if (lock.isPresent()) {
				return lock.get()::unlock;
			}
			Thread.sleep(1);
		}
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
