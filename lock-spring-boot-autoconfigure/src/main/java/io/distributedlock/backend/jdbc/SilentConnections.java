package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

import io.distributedlock.spi.LockClock;

/**
 * Remembers that a connection has fallen silent, for example because a firewall has
 * dropped it. Other connections of the same age are likely to be silent, too. The kept
 * connections are replaced before their next use, and Hikari is asked to replace its idle
 * ones. Otherwise it would validate them one after another, for 5 s each by default,
 * although new connections work.
 */
final class SilentConnections {

	private static final Logger logger = LoggerFactory.getLogger(SilentConnections.class);

	/**
	 * The minimum time between two requests to the pool to replace connections. A
	 * database that is only slow must not be flooded with new ones.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(10);

	private static final boolean HIKARI_PRESENT = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			SilentConnections.class.getClassLoader());

	private static final long NEVER = Long.MIN_VALUE;

	private final DataSource dataSource;

	private final AtomicLong evictedAt = new AtomicLong(NEVER);

	private volatile long foundAt = NEVER;

	SilentConnections(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Record that a connection gave no answer in time.
	 * @param clock the clock
	 */
	void reportSilence(LockClock clock) {
		long now = clock.nanoTime();
		this.foundAt = now;
		long last = this.evictedAt.get();
		if ((last == NEVER || now - last >= PAUSE.toNanos()) && this.evictedAt.compareAndSet(last, now)) {
			replaceIdle();
		}
	}

	private void replaceIdle() {
		String consequence = "";
		try {
			if (HIKARI_PRESENT && Hikari.replaceIdle(this.dataSource)) {
				consequence = ": the pool replaces the connections that are idle";
			}
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("The pool could not be asked to replace connections", ex);
		}
		logger.warn("A connection to the database of the locks gives no answer{}", consequence);
	}

	/**
	 * Evict a broken connection from the pool.
	 * @param connection the connection, which has not been returned yet
	 */
	void evict(Connection connection) {
		try {
			if (HIKARI_PRESENT) {
				Hikari.evict(this.dataSource, connection);
			}
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("The pool could not be asked to drop a connection", ex);
		}
	}

	/**
	 * Return whether a connection may be silent.
	 * @param answeredAt when it gave its last answer
	 * @return whether another one was found silent after that
	 */
	boolean isSuspect(long answeredAt) {
		long found = this.foundAt;
		return found != NEVER && found - answeredAt > 0;
	}

	/**
	 * A class of its own, because the pool's classes may be missing.
	 */
	private static final class Hikari {

		static boolean replaceIdle(DataSource dataSource) throws SQLException {
			if (!dataSource.isWrapperFor(HikariDataSource.class)) {
				return false;
			}
			@Nullable HikariPoolMXBean pool = dataSource.unwrap(HikariDataSource.class).getHikariPoolMXBean();
			if (pool != null) {
				pool.softEvictConnections();
			}
			return pool != null;
		}

		static void evict(DataSource dataSource, Connection connection) throws SQLException {
			if (dataSource.isWrapperFor(HikariDataSource.class)
					&& connection.getClass().getName().startsWith("com.zaxxer.hikari.pool.")) {
				dataSource.unwrap(HikariDataSource.class).evictConnection(connection);
			}
		}

	}

}
