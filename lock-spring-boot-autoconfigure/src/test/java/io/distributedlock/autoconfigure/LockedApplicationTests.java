package io.distributedlock.autoconfigure;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.spi.LockListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks, transactions and scheduled methods together, on a database.
 */
class LockedApplicationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TaskSchedulingAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + JdbcLockAutoConfigurationTests.url());

	@Test
	void lockIsReleasedAfterTheTransactionOfTheMethodHasCompleted() {
		this.runner.withUserConfiguration(Application.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);

			orders.ship();

			assertThat(orders.news()).containsExactly("committed, locked: true");
			assertThat(context.getBean(Locks.class).find("order")).isEmpty();
		});
	}

	@Test
	void lockTakenInsideATransactionIsKeptUntilItHasCompleted() {
		this.runner.withUserConfiguration(Application.class).run((context) -> {
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			Locks locks = context.getBean(Locks.class);

			Boolean heldInside = transaction.execute((status) -> {
				context.getBean(Orders.class).ship();
				return locks.find("order").isPresent();
			});

			assertThat(heldInside).isTrue();
			assertThat(locks.find("order")).isEmpty();
		});
	}

	@Test
	void lockIsSeenByOthersWhileTheTransactionOfItsHolderIsOpenAndSurvivesItsRollback() {
		this.runner.withUserConfiguration(Application.class).run((context) -> {
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			LockTemplate template = context.getBean(LockTemplate.class);

			transaction.executeWithoutResult((status) -> {
				template.acquire("k");
				assertThat(held(context.getBean(DataSource.class))).isEqualTo(1);
				status.setRollbackOnly();
			});

			assertThat(context.getBean(Locks.class).find("k")).isPresent();
		});
	}

	@Test
	void scheduledMethodThatFindsItsLockBusySkipsAndRunsLater() {
		this.runner.withUserConfiguration(Job.class).run((context) -> {
			Job job = context.getBean(Job.class);
			await().until(() -> job.runs() > 0);
			LockTemplate template = context.getBean(LockTemplate.class);
			SkipCounter counter = context.getBean(SkipCounter.class);

			int before = template.execute("job", (lease) -> {
				int runs = job.runs();
				int skipped = counter.busy.get();
				await().until(() -> counter.busy.get() > skipped + 2);
				assertThat(job.runs()).isEqualTo(runs);
				return runs;
			});

			await().until(() -> job.runs() > before);
		});
	}

	@Test
	void scheduledMethodThatRunsWhenTheContextClosesEndsUnderItsLock() {
		this.runner.withUserConfiguration(LongJob.class).run((context) -> {
			LongJob job = context.getBean(LongJob.class);
			assertThat(job.begun.await(10, TimeUnit.SECONDS)).isTrue();

			context.close();

			assertThat(job.endedUnderItsLock).isTrue();
			this.runner.run((next) -> assertThat(next.getBean(LockTemplate.class).tryAcquire("long job")).isPresent());
		});
	}

	private static Integer held(DataSource dataSource) {
		try (Connection other = dataSource.getConnection();
				ResultSet rows = other.createStatement()
					.executeQuery("select count(*) from distributed_lock where owner is not null")) {
			rows.next();
			return rows.getInt(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Application {

		@Bean
		Orders orders(Locks locks) {
			return new Orders(locks);
		}

	}

	static class Orders {

		private final List<String> news = new ArrayList<>();

		private final Locks locks;

		Orders(Locks locks) {
			this.locks = locks;
		}

		List<String> news() {
			return this.news;
		}

		@DistributedLock(name = "order")
		@Transactional
		void ship() {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Orders.this.news.add("committed, locked: " + Orders.this.locks.find("order").isPresent());
				}

			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Job {

		private final AtomicInteger runs = new AtomicInteger();

		@Bean
		static SkipCounter skipCounter() {
			return new SkipCounter();
		}

		int runs() {
			return this.runs.get();
		}

		@Scheduled(fixedDelay = 20)
		@DistributedLock(name = "job")
		void run() {
			this.runs.incrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class LongJob implements SmartLifecycle {

		final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch closing = new CountDownLatch(1);

		volatile boolean endedUnderItsLock;

		private volatile boolean running;

		private final LockTemplate template;

		LongJob(LockTemplate template) {
			this.template = template;
		}

		@Scheduled(fixedDelay = 10)
		void run() throws InterruptedException {
			this.template.tryExecuteWithoutResult("long job", (lease) -> {
				this.begun.countDown();
				this.closing.await(10, TimeUnit.SECONDS);
				this.endedUnderItsLock = lease.isHeld();
			});
		}

		@Override
		public void start() {
			this.running = true;
		}

		/**
		 * Is called together with the stop of the scheduler, which waits for running
		 * tasks.
		 */
		@Override
		public void stop() {
			this.running = false;
			this.closing.countDown();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

	/**
	 * Counts the runs that found their lock busy.
	 */
	static class SkipCounter implements LockListener {

		private final AtomicInteger busy = new AtomicInteger();

		@Override
		public void busy(String backend, LockRequest request, Duration waited) {
			this.busy.incrementAndGet();
		}

	}

}
