package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Knows whether the application needs the connections that the store keeps for callers.
 * Hikari reports it. Of other pools only one connection is kept.
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

	private final DataSource dataSource;

	private final AtomicInteger borrowing = new AtomicInteger();

	PoolDemand(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Borrow a connection for the store. May block for as long as the pool does.
	 * @return the connection
	 * @throws SQLException if no connection is available
	 */
	Connection borrow() throws SQLException {
		this.borrowing.incrementAndGet();
		try {
			return this.dataSource.getConnection();
		}
		finally {
			this.borrowing.decrementAndGet();
		}
	}

	/**
	 * Return whether other threads than those of the store wait for a connection of the
	 * pool.
	 * @return {@code false} if that is not known
	 */
	boolean isWaitedFor() {
		return HIKARI_PRESENT && Hikari.waiting(this.dataSource) > this.borrowing.get();
	}

	/**
	 * Return how many idle connections may be kept.
	 * @return the number; zero if the pool is too small
	 */
	int mostKept() {
		return HIKARI_PRESENT ? Hikari.mostKept(this.dataSource) : 1;
	}

	/**
	 * Loaded only if Hikari is present.
	 */
	private static final class Hikari {

		static int waiting(DataSource dataSource) {
			HikariDataSource hikari = unwrap(dataSource);
			@Nullable HikariPoolMXBean pool = (hikari != null) ? hikari.getHikariPoolMXBean() : null;
			return (pool != null) ? pool.getThreadsAwaitingConnection() : 0;
		}

		static int mostKept(DataSource dataSource) {
			HikariDataSource hikari = unwrap(dataSource);
			return (hikari != null) ? Math.max(0, Math.min(MOST, hikari.getMaximumPoolSize() - OTHERS)) : 1;
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
