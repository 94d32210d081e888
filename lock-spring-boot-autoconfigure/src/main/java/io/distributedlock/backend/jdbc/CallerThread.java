package io.distributedlock.backend.jdbc;

import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Decides whether an attempt may run on its caller's thread, which saves two changes of
 * threads.
 * <p>
 * Only where it is known for how long the pool can block it: with Hikari. Never on a
 * virtual thread, which a driver may pin; never with an embedded database, which closes
 * its file when the thread is interrupted; and never inside a transaction, by which a
 * routing data source could choose another database.
 */
final class CallerThread {

	private static final boolean HIKARI_PRESENT = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			CallerThread.class.getClassLoader());

	private final Database database;

	private final DataSource pool;

	CallerThread(Database database) {
		this.database = database;
		this.pool = pool(database.dataSource());
	}

	private static DataSource pool(DataSource dataSource) {
		DataSource pool = dataSource;
		while (pool instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
			pool = delegating.getTargetDataSource();
		}
		return pool;
	}

	/**
	 * Decide.
	 * @param patience for how long the calling thread may be blocked
	 * @return whether the attempt may run here
	 */
	boolean serves(Duration patience) {
		Dialect dialect = this.database.dialect();
		if (patience.isZero() || dialect == null || !dialect.has(Dialect.Trait.NETWORK)) {
			return false;
		}
		Duration most = HIKARI_PRESENT ? Hikari.connectionTimeout(this.pool) : null;
		return most != null && patience.compareTo(most) >= 0 && !Thread.currentThread().isInterrupted()
				&& !isVirtual(Thread.currentThread()) && !TransactionSynchronizationManager.isSynchronizationActive();
	}

	private static boolean isVirtual(Thread thread) {
		// Java 17 does not know them; their class is not public.
		return thread.getClass().getName().contains("Virtual");
	}

	private static final class Hikari {

		private static @Nullable Duration connectionTimeout(DataSource dataSource) {
			return (dataSource instanceof HikariDataSource pool) ? Duration.ofMillis(pool.getConnectionTimeout())
					: null;
		}

	}

}
