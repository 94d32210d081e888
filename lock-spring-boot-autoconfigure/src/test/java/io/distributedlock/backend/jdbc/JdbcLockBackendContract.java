package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;

import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * The contract of all stores, on any database, in real time.
 */
public abstract class JdbcLockBackendContract extends LockBackendContract {

	/**
	 * So long that no test fails because the machine is slow.
	 */
	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

	private final SystemLockClock clock = new SystemLockClock();

	private final JdbcTestDatabase database = database();

	// Crowds ask for clients from several threads.
	private final Map<LockBackend, ObservedDataSource> dataSources = new ConcurrentHashMap<>();

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void createTables() {
		// Tests run side by side, and not every database can create a table twice at
		// once.
		synchronized (JdbcLockBackendContract.class) {
			this.database.createTables(this.database.settings());
		}
	}

	@Override
	protected LockBackend newClient() {
		ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());
		LockBackend client = new JdbcLockBackend(observed,
				this.database.settings(JdbcLockSettings.DEFAULT_TABLE, CALL_TIMEOUT), this.clock);
		this.dataSources.put(client, observed);
		return client;
	}

	@Override
	protected LockClock clock() {
		return this.clock;
	}

	@Override
	protected void elapse(Duration duration) {
		long end = this.clock.nanoTime() + duration.toNanos();
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(duration.plusSeconds(10))
			.until(() -> this.clock.nanoTime() - end >= 0);
	}

	@Override
	protected boolean tellsOfWaiters() {
		return true;
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		this.dataSources.get(client).setCutOff(true);
	}

	@Override
	protected void restore(LockBackend client) {
		this.dataSources.get(client).setCutOff(false);
	}

}
