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
 * Stores locks as rows of a table in the application's database.
 * <p>
 * Leases expire only by the database's clock. Fencing tokens are microseconds since 1970
 * or more. They grow strictly for each key, unless the row is lost or set back and the
 * database's clock is set back, too.
 * <p>
 * Statements run in autocommit mode, on connections that come directly from the data
 * source, and never in a transaction of the caller. Two connections are borrowed at the
 * start and kept, one for releases and one for renewals. Each attempt borrows another
 * one. Those are kept for a moment, so that blocking callers take and release locks on
 * their own threads.
 * <p>
 * On PostgreSQL, a third connection listens while contenders wait and for a minute after,
 * so that they are notified of releases. With other databases waiters poll. They do so
 * less often the longer the lock has been held, but at least once a second.
 * <p>
 * Rows that have been unused for the retention are deleted on H2, PostgreSQL, MariaDB and
 * MySQL.
 *
 * @since 0.1.0
 */
public final class JdbcLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "jdbc";

	static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_LOCK, true, true, Integer.MAX_VALUE, true,
			Duration.ofMillis(100), null, 500);

	private final JdbcLockDatabase database;

	/**
	 * Create a backend.
	 * @param dataSource the source of connections; a proxy that takes part in
	 * transactions is unwrapped
	 * @param settings the settings
	 * @param clock the clock of this JVM
	 */
	public JdbcLockBackend(DataSource dataSource, JdbcLockSettings settings, LockClock clock) {
		this(dataSource, settings, clock, TableCreation.NONE);
	}

	/**
	 * Create a backend whose tables may have to be created before their first use.
	 * @param dataSource the source of connections; a proxy that takes part in
	 * transactions is unwrapped
	 * @param settings the settings
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
