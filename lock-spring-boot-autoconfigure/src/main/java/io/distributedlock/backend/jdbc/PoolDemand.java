package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

import io.distributedlock.spi.LockClock;

/**
 * Knows whether the connections that the store keeps for callers are needed elsewhere: by
 * the application, which Hikari reports, or by workers of the store that wait for the
 * pool. Of other pools than Hikari only one connection is kept. Only workers enter the
 * data source; callers' threads read what they found there.
 */
final class PoolDemand {

	private static final boolean HIKARI_PRESENT = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			PoolDemand.class.getClassLoader());

	/**
	 * The maximum number of connections that are kept for callers.
	 */
	private static final int MOST = 8;

	/**
	 * How many connections of the pool are left for other purposes: releases, renewals,
	 * notifications, and two for workers and the application.
	 */
	private static final int OTHERS = 5;

	/**
	 * How long the workers of the store may wait for the pool in vain. It is longer than
	 * a pool needs for a new connection usually, which is nothing to give others back
	 * for.
	 */
	private static final Duration IN_VAIN = Duration.ofMillis(100);

	private final DataSource dataSource;

	private final LockClock clock;

	private final AtomicInteger borrowing = new AtomicInteger();

	// When a worker last ceased to wait for the pool, or began to after a time without.
	private volatile long progressAt;

	// Set by the first worker that borrows. Two of them find the same.
	private volatile @Nullable Pool pool;

	PoolDemand(DataSource dataSource, LockClock clock) {
		this.dataSource = dataSource;
		this.clock = clock;
	}

	/**
	 * Borrow a connection for the store. May block for as long as the pool does.
	 * @return the connection
	 * @throws SQLException if no connection is available
	 */
	Connection borrow() throws SQLException {
		if (this.borrowing.get() == 0) {
			this.progressAt = this.clock.nanoTime();
		}
		this.borrowing.incrementAndGet();
		try {
			if (this.pool == null) {
				this.pool = HIKARI_PRESENT ? Hikari.of(this.dataSource) : new UnknownPool();
			}
			return this.dataSource.getConnection();
		}
		finally {
			this.progressAt = this.clock.nanoTime();
			this.borrowing.decrementAndGet();
		}
	}

	/**
	 * Return whether other threads than those of the store wait for a connection of the
	 * pool, or those of the store wait in vain.
	 * @return {@code false} if that is not known
	 */
	boolean isWaitedFor() {
		int own = this.borrowing.get();
		if (own > 0 && this.clock.nanoTime() - this.progressAt >= IN_VAIN.toNanos()) {
			return true;
		}
		Pool known = this.pool;
		return known != null && known.waiting() > own;
	}

	/**
	 * Return how many idle connections may be kept.
	 * @return the number; zero if the pool is too small
	 */
	int mostKept() {
		Pool known = this.pool;
		return (known != null) ? known.mostKept() : 0;
	}

	/**
	 * What a pool says of itself without blocking.
	 */
	private interface Pool {

		int waiting();

		int mostKept();

	}

	private record UnknownPool() implements Pool {

		@Override
		public int waiting() {
			return 0;
		}

		@Override
		public int mostKept() {
			return 1;
		}

	}

	/**
	 * Loaded only if Hikari is present.
	 */
	private record Hikari(HikariDataSource source) implements Pool {

		static Pool of(DataSource dataSource) {
			HikariDataSource hikari = unwrap(dataSource);
			return (hikari != null) ? new Hikari(hikari) : new UnknownPool();
		}

		@Override
		public int waiting() {
			@Nullable HikariPoolMXBean bean = this.source.getHikariPoolMXBean();
			return (bean != null) ? bean.getThreadsAwaitingConnection() : 0;
		}

		@Override
		public int mostKept() {
			return Math.max(0, Math.min(MOST, this.source.getMaximumPoolSize() - OTHERS));
		}

		private static @Nullable HikariDataSource unwrap(DataSource dataSource) {
			if (dataSource instanceof HikariDataSource hikari) {
				return hikari;
			}
			try {
				return dataSource.isWrapperFor(HikariDataSource.class) ? dataSource.unwrap(HikariDataSource.class)
						: null;
			}
			catch (SQLException | RuntimeException ex) {
				return null;
			}
		}

	}

}
