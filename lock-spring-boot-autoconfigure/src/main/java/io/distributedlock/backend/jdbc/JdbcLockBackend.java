package io.distributedlock.backend.jdbc;

import java.time.Duration;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Keeps locks as rows of a table in a database that the application has anyway.
 * <p>
 * Only the database's clock decides what has run out. Fencing tokens are microseconds
 * since 1970 or more, and grow strictly per key for as long as the row, or time, has not
 * been set back. Every statement runs on a connection of its own in autocommit, straight
 * from the data source: never in a transaction of the caller. Two connections are
 * borrowed when it starts and kept, for releases and for renewals; attempts borrow one
 * each. On PostgreSQL a third one listens while somebody waits and for a minute after, so
 * that waiters hear of releases; elsewhere they poll, the more seldom the longer the lock
 * has been held, at least once a second. Rows that nobody has used for the retention are
 * deleted.
 *
 * @since 0.1.0
 */
public final class JdbcLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "jdbc";

	static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_LOCK, true, false, false, true,
			Duration.ofMillis(100), null, 500);

	private final JdbcLockDatabase database;

	/**
	 * Create a backend.
	 * @param dataSource where its connections come from; a proxy that takes part in
	 * transactions is looked through
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 */
	public JdbcLockBackend(DataSource dataSource, JdbcLockSettings settings, LockClock clock) {
		this(dataSource, settings, clock, TableCreation.NONE);
	}

	/**
	 * Create a backend whose tables may have to be created before their first use.
	 * @param dataSource where its connections come from; a proxy that takes part in
	 * transactions is looked through
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 * @param tables creates the tables
	 */
	public JdbcLockBackend(DataSource dataSource, JdbcLockSettings settings, LockClock clock, TableCreation tables) {
		this.database = new JdbcLockDatabase(dataSource, settings, tables, clock);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public @Nullable String address() {
		return this.database.address();
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new JdbcStoreConnection(this.database, listener);
	}

}
