package io.distributedlock.autoconfigure;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.util.ClassUtils;

/**
 * The database of the locks.
 *
 * @param dataSource creates the connections
 */
record LockDatabase(DataSource dataSource) {

	/**
	 * Two connections are kept for releases and renewals, an attempt needs one, and the
	 * application needs one.
	 */
	private static final int MIN_POOL_SIZE = 4;

	private static final boolean HIKARI_PRESENT = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			LockDatabase.class.getClassLoader());

	static LockDatabase choose(ObjectProvider<DataSource> dedicated, ObjectProvider<DataSource> shared) {
		DataSource own = dedicated.getIfAvailable();
		if (own != null) {
			return new LockDatabase(own);
		}
		DataSource application = shared.getObject();
		if (HIKARI_PRESENT) {
			Pool.requireEnoughConnections(application);
		}
		return new LockDatabase(application);
	}

	/**
	 * A class of its own, because the pool's classes may be missing.
	 */
	private static final class Pool {

		static void requireEnoughConnections(DataSource dataSource) {
			HikariDataSource pool = DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class,
					HikariDataSource.class);
			// A negative number means that the size is not set; the default is ten.
			if (pool != null && pool.getMaximumPoolSize() > 0 && pool.getMaximumPoolSize() < MIN_POOL_SIZE) {
				throw new LockStartException(
						"The connection pool of the locks has " + pool.getMaximumPoolSize()
								+ " connections at most, which is too few: locks keep two, and callers that hold the"
								+ " others while they wait for a lock would wait for each other.",
						"Set its maximum size (such as 'spring.datasource.hikari.maximum-pool-size') to "
								+ MIN_POOL_SIZE
								+ " or more, or declare a DataSource for locks alone with @LockDataSource.",
						null);
			}
		}

	}

}
