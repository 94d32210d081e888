package io.distributedlock.backend.jdbc;

import java.sql.SQLException;

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
	private static final int MOST = Integer.getInteger("kept", 8);

	/**
	 * How many connections of the pool serve other purposes of the store: releases,
	 * renewals and notifications.
	 */
	private static final int OTHERS = 3;

	private final DataSource dataSource;

	PoolDemand(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Return whether a thread waits for a connection of the pool.
	 * @return {@code false} if that is not known
	 */
	boolean isWaitedFor() {
		return HIKARI_PRESENT && Hikari.isWaitedFor(this.dataSource);
	}

	/**
	 * Return how many idle connections may be kept.
	 * @return the number, at least one
	 */
	int mostKept() {
		return HIKARI_PRESENT ? Hikari.mostKept(this.dataSource) : 1;
	}

	/**
	 * Loaded only if Hikari is present.
	 */
	private static final class Hikari {

		static boolean isWaitedFor(DataSource dataSource) {
			HikariDataSource hikari = unwrap(dataSource);
			@Nullable HikariPoolMXBean pool = (hikari != null) ? hikari.getHikariPoolMXBean() : null;
			return pool != null && pool.getThreadsAwaitingConnection() > 0;
		}

		static int mostKept(DataSource dataSource) {
			HikariDataSource hikari = unwrap(dataSource);
			return (hikari != null) ? Math.max(1, Math.min(MOST, hikari.getMaximumPoolSize() - OTHERS)) : 1;
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
