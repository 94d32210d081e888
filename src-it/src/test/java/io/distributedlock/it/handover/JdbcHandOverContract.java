package io.distributedlock.it.handover;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;

import io.distributedlock.backend.jdbc.JdbcLockBackend;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.cluster.TamperedDataSource;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Hand-over on any database, with a pool for each JVM.
 */
abstract class JdbcHandOverContract extends HandOverContract {

	private final List<HikariDataSource> pools = new ArrayList<>();

	private final AtomicLong statements = new AtomicLong();

	private final JdbcTestDatabase operator = new JdbcTestDatabase(platform(), opened());

	protected abstract String platform();

	/**
	 * Create a pool.
	 */
	protected abstract HikariDataSource pool();

	private HikariDataSource opened() {
		HikariDataSource pool = pool();
		this.pools.add(pool);
		return pool;
	}

	@Override
	protected LockBackend newClient(LockClock clock) {
		DataSource counted = new TamperedDataSource(opened(), (sql) -> sql, this.statements::incrementAndGet);
		JdbcTestDatabase database = new JdbcTestDatabase(platform(), counted);
		database.createTables(database.settings());
		return new JdbcLockBackend(counted, database.settings(), clock);
	}

	@Override
	protected void delete(String key) {
		this.operator.delete(key);
	}

	@Override
	protected long requests() {
		return this.statements.get();
	}

	@AfterEach
	void closePools() {
		this.pools.forEach(HikariDataSource::close);
	}

}
