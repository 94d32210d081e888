package io.distributedlock.scheduling;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.task.SimpleAsyncTaskExecutorBuilder;
import org.springframework.boot.task.SimpleAsyncTaskSchedulerBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract on the local store, and with it the executors of Spring, in all the ways
 * in which they end.
 */
class LocalScheduledTickTests extends ScheduledTickContract {

	private final LockClock clock = new SystemLockClock();

	private final LocalStore memory = new LocalStore(this.clock);

	@Override
	protected List<String> store() {
		return List.of("lock.backend=memory");
	}

	@Override
	protected void prepare(ConfigurableApplicationContext context) {
		context.getBeanFactory().registerSingleton("memory", new LocalLockBackend(this.memory, "instance", this.clock));
	}

	@Test
	void tasksThatAreWaitedForInTheirPhaseHoldTheirLeasesToTheEnd(CapturedOutput output) {
		shutDown(Working.class, output);

		assertThat(output).doesNotContain("Waiting up to");
	}

	@Test
	void tasksOfPoolsThatHideHowLongTheyWaitHoldTheirLeasesToTheEnd(CapturedOutput output) {
		shutDown(Patient.class, output, "spring.lifecycle.timeout-per-shutdown-phase=59s");

		assertThat(output).contains("Waiting up to PT59S");
	}

	@Test
	void tasksWithThreadsOfTheirOwnHoldTheirLeasesToTheEnd(CapturedOutput output) {
		shutDown(ThreadForEach.class, output, "spring.task.scheduling.shutdown.await-termination=true",
				"spring.task.scheduling.shutdown.await-termination-period=58s",
				"spring.task.execution.shutdown.await-termination=true",
				"spring.task.execution.shutdown.await-termination-period=60s");

		assertThat(output).contains("Waiting up to PT1M");
	}

	@Test
	void timeOfThePropertyIsOverSoonerThanTheBody(CapturedOutput output) {
		Work work = closeWhileWorking(Patient.class, "lock.await-holders=10ms");

		assertThat(work.ends).containsOnlyKeys("delay", "rate", "background").containsValue("lost");
		assertThat(output).contains("Waiting up to PT0.01S").contains("STOPPED");
		LockTemplate locks = start(Other.class, (context) -> {
		}).getBean(LockTemplate.class);
		assertThat(locks.tryAcquire("background")).isPresent();
		assertThat(locks.tryAcquire("delay")).as("the lock, which stays taken for most of the delay").isEmpty();
	}

	@Test
	void leaseWithoutATaskIsNotWaitedForWherePoolsWaitInTheirPhase(CapturedOutput output) {
		ConfigurableApplicationContext instance = start(WithPools.class, (context) -> {
		});
		Lease lease = instance.getBean(LockTemplate.class).acquire("lease");

		instance.close();

		assertThat(lease.isHeld()).isFalse();
		assertThat(output).doesNotContain("Waiting up to");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Working.class)
	static class Patient {

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setPoolSize(2);
			scheduler.setWaitForTasksToCompleteOnShutdown(true);
			scheduler.setAwaitTerminationSeconds(60);
			return scheduler;
		}

		@Bean
		ThreadPoolTaskExecutor taskExecutor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setWaitForTasksToCompleteOnShutdown(true);
			executor.setAwaitTerminationSeconds(60);
			return executor;
		}

	}

	/**
	 * Creates a thread for each task, as with {@code spring.threads.virtual.enabled}, on
	 * any Java version.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Working.class)
	static class ThreadForEach {

		@Bean
		SimpleAsyncTaskScheduler taskScheduler(SimpleAsyncTaskSchedulerBuilder builder) {
			return builder.build();
		}

		@Bean
		SimpleAsyncTaskExecutor applicationTaskExecutor(SimpleAsyncTaskExecutorBuilder builder) {
			return builder.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WithPools {

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

	}

}
