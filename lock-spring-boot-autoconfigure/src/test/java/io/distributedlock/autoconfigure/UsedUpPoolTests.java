package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with sixteen threads that each hold a connection in a transaction and request a
 * lock.
 */
class UsedUpPoolTests {

	private static final int THREADS = 16;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + url());

	@Test
	void locksOfADedicatedDataSourceAreHadByAll() {
		this.runner.withUserConfiguration(DataSourceForLocks.class)
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + THREADS, "lock.call-timeout=10s")
			.run((context) -> assertThat(lockInTransactions(context)).hasSize(THREADS).containsOnly("locked"));
	}

	@Test
	void locksOfASharedPoolThatIsUsedUpAreUnavailableInTimeAndComeBack() {
		// Two more connections, which the locks keep for releases and renewals.
		this.runner
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + (THREADS + 2), "lock.call-timeout=2s")
			.run((context) -> {
				HikariPoolMXBean pool = context.getBean(HikariDataSource.class).getHikariPoolMXBean();
				Awaitility.await().until(() -> pool.getActiveConnections() == 2);
				List<String> outcomes = lockInTransactions(context);

				assertThat(outcomes).hasSize(THREADS)
					.allSatisfy((outcome) -> assertThat(outcome).contains("gave no connection within 2000 ms"));
				LockRequest again = LockRequest.of("order:0").waitTime(Duration.ofMinutes(1));
				assertThat(context.getBean(LockTemplate.class).acquire(again).isHeld()).isTrue();
			});
	}

	private static List<String> lockInTransactions(ApplicationContext context) throws Exception {
		LockTemplate locks = context.getBean(LockTemplate.class);
		TransactionTemplate transaction = new TransactionTemplate(
				new JdbcTransactionManager(context.getBean(DataSource.class)));
		CyclicBarrier allHaveAConnection = new CyclicBarrier(THREADS);
		CyclicBarrier allHaveAsked = new CyclicBarrier(THREADS);
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<Callable<String>> calls = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				String key = "order:" + i;
				calls.add(() -> transaction.execute((status) -> {
					await(allHaveAConnection);
					String outcome = lock(locks, key);
					await(allHaveAsked);
					return outcome;
				}));
			}
			List<String> outcomes = new ArrayList<>();
			for (Future<String> outcome : threads.invokeAll(calls)) {
				outcomes.add(outcome.get());
			}
			return outcomes;
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static String lock(LockTemplate locks, String key) {
		try {
			return locks.tryExecute(key, (lease) -> "locked").orElse("busy");
		}
		catch (LockUnavailableException ex) {
			return ex.getMessage();
		}
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(30, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String url() {
		return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
	}

	@Configuration(proxyBeanMethods = false)
	static class DataSourceForLocks {

		@Bean(defaultCandidate = false)
		@LockDataSource
		HikariDataSource forLocks() {
			HikariDataSource dataSource = new HikariDataSource();
			dataSource.setJdbcUrl(url());
			dataSource.setMaximumPoolSize(4);
			return dataSource;
		}

	}

}
