package io.distributedlock.it.cluster;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.BeanPostProcessor;

import io.distributedlock.spi.LockBackend;

/**
 * A fault that is planted in a JVM of a cluster, to show that the check finds it.
 */
enum PlantedFault {

	/**
	 * No fault.
	 */
	NONE {
		@Override
		Object plant(Object bean) {
			return bean;
		}
	},

	/**
	 * No fault, but the statements are counted.
	 */
	COUNTED {
		@Override
		Object plant(Object bean) {
			return (bean instanceof DataSource dataSource)
					? new TamperedDataSource(dataSource, (sql) -> sql, STATEMENTS::incrementAndGet) : bean;
		}
	},

	/**
	 * Each release is sent again a little later, as on a faulty network. This must be
	 * harmless.
	 */
	RELEASE_TWICE {
		@Override
		Object plant(Object bean) {
			return (bean instanceof LockBackend backend) ? RepeatedRelease.of(backend) : bean;
		}
	},

	/**
	 * The same, and releases do not compare the owner.
	 */
	RELEASE_WITHOUT_OWNER {
		@Override
		Object plant(Object bean) {
			return (bean instanceof DataSource dataSource)
					? new TamperedDataSource(dataSource, PlantedFault::withoutOwner, STATEMENTS::incrementAndGet)
					: RELEASE_TWICE.plant(bean);
		}
	},

	/**
	 * Holders of permits are counted as they were when the statement began, although it
	 * may have waited for others since.
	 */
	COUNT_OF_THE_SNAPSHOT {
		@Override
		Object plant(Object bean) {
			return tampered(bean, (sql) -> sql.replace("held.token = (SELECT token FROM seen) AND ", ""));
		}
	},

	/**
	 * A reader that leaves ends the group, although others are in it.
	 */
	RELEASE_OF_ONE_READER_FOR_ALL {
		@Override
		Object plant(Object bean) {
			return tampered(bean, (sql) -> sql.replace("THEN seen.latest ELSE held.expires_at END",
					"THEN held.acquired_at ELSE held.acquired_at END"));
		}
	},

	/**
	 * Statements run in transactions that had begun before. This must be harmless.
	 */
	OLD_TRANSACTIONS {
		@Override
		Object plant(Object bean) {
			return (bean instanceof DataSource dataSource) ? new OldTransactions(dataSource) : bean;
		}
	},

	/**
	 * The same, and they read the clock of their transaction's beginning.
	 */
	CLOCK_OF_OLD_TRANSACTIONS {
		@Override
		Object plant(Object bean) {
			return OLD_TRANSACTIONS.plant(tampered(bean, PlantedFault::withClockOfTransaction));
		}
	};

	private static final AtomicLong STATEMENTS = new AtomicLong();

	abstract Object plant(Object bean);

	BeanPostProcessor planter() {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				return plant(bean);
			}

		};
	}

	/**
	 * Return how many statements the JVM has sent, if they are counted.
	 */
	static long statements() {
		return STATEMENTS.get();
	}

	private static Object tampered(Object bean, UnaryOperator<String> rewriting) {
		return (bean instanceof DataSource dataSource) ? new TamperedDataSource(dataSource, rewriting, () -> {
		}) : bean;
	}

	private static String withClockOfTransaction(String sql) {
		return sql.replace("clock_timestamp()", "now()");
	}

	private static String withoutOwner(String sql) {
		boolean release = sql.contains("SET owner = NULL") && sql.contains("token");
		return release ? sql.replace("owner = ? AND token = ?", "(owner = ? OR TRUE) AND (token = ? OR TRUE)")
			.replace("AND held.owner = asked.owner AND held.token = asked.token", "") : sql;
	}

}
