package io.distributedlock.backend.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.BeforeEach;

import io.distributedlock.contract.RealTimeLockBackendContract;
import io.distributedlock.spi.LockBackend;

/**
 * The contract of all stores, on any database, in real time.
 */
public abstract class JdbcLockBackendContract extends RealTimeLockBackendContract {

	/**
	 * Not the default one. The contract runs side by side with other tests of the JVM,
	 * some of which delete all rows or move their times.
	 */
	private static final String TABLE = "contract_lock";

	private final JdbcTestDatabase database = database();

	private final JdbcLockSettings settings = this.database.settings(TABLE);

	// Crowds create clients on several threads.
	private final Map<LockBackend, ObservedDataSource> dataSources = new ConcurrentHashMap<>();

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void createTables() {
		// Tests run in parallel, and some databases can't create the same table twice at
		// once.
		synchronized (JdbcLockBackendContract.class) {
			this.database.createTables(this.settings);
		}
	}

	@Override
	protected LockBackend newClient() {
		ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());
		LockBackend client = new JdbcLockBackend(observed, this.settings, clock());
		this.dataSources.put(client, observed);
		return client;
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
