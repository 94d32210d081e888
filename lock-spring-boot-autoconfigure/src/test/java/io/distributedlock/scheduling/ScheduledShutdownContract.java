package io.distributedlock.scheduling;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract for bodies that the shutdown waits for. They hold their leases to the end, and
 * leave the same state at the store as at any other time.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class ScheduledShutdownContract extends ScheduledKindsContract {

	@Test
	void tasksThatAreAwaitedWhenTheirExecutorsAreDestroyedHoldTheirLeasesToTheEnd(CapturedOutput output) {
		shutDown(Working.class, output, "spring.task.scheduling.shutdown.await-termination=true",
				"spring.task.scheduling.shutdown.await-termination-period=60s",
				"spring.task.execution.shutdown.await-termination=true",
				"spring.task.execution.shutdown.await-termination-period=60s");
	}

	/**
	 * Close an instance while its tasks are working, and check the state that remains.
	 */
	final void shutDown(Class<?> application, CapturedOutput output, String... properties) {
		Work work = closeWhileWorking(application, properties);

		assertThat(work.ends).containsOnly(Map.entry("delay", "held"), Map.entry("rate", "held"),
				Map.entry("background", "held"));
		// Other tests write here too.
		assertThat(work.ends.keySet()).allSatisfy((name) -> assertThat(output).doesNotContain("Lost Lease[" + name)
			.doesNotContain("The lease on '" + name + "'"));
		assertThat(errors(output)).isEmpty();
		LockTemplate locks = start(Other.class, (context) -> {
		}).getBean(LockTemplate.class);
		assertThat(locks.tryAcquire("rate")).isPresent();
		assertThat(locks.tryAcquire("background")).isPresent();
		assertThat(locks.tryAcquire("delay")).as("the lock, which stays taken for most of the delay").isEmpty();
	}

	/**
	 * Return the errors, except those of a server that the tests of this JVM share, which
	 * may log at any time about any client.
	 */
	private static List<String> errors(CapturedOutput output) {
		return output.getAll()
			.lines()
			.filter((line) -> line.contains(" ERROR ") && !line.contains("ch.vorburger."))
			.toList();
	}

	/**
	 * Close an instance while its tasks are working.
	 */
	final Work closeWhileWorking(Class<?> application, String... properties) {
		ConfigurableApplicationContext instance = start(application,
				(context) -> TestPropertyValues.of("spring.task.scheduling.pool.size=2").applyTo(context), properties);
		Work work = instance.getBean(Work.class);
		instance.getBean(Tasks.class).inBackground();
		work.awaitBegun();
		instance.close();
		return work;
	}

	/**
	 * The work of the tasks of one instance. It continues until the shutdown has begun
	 * and its lease was renewed after that, or is lost. The task with a fixed delay ends
	 * first, because executors that create a thread for each task wait in their phase
	 * while they run such a task.
	 */
	static class Work {

		final Map<String, String> ends = new ConcurrentHashMap<>();

		private final CountDownLatch begun = new CountDownLatch(3);

		private final CountDownLatch closing = new CountDownLatch(1);

		void run(String name, int renewals) {
			Lease lease = LockContext.current(name);
			this.begun.countDown();
			await(this.closing);
			for (int i = 0; i < renewals; i++) {
				AtomicReference<Duration> last = new AtomicReference<>(lease.remaining());
				Awaitility.await()
					.atMost(Duration.ofSeconds(60))
					.until(() -> !lease.isHeld() || lease.remaining().compareTo(last.getAndSet(lease.remaining())) > 0);
			}
			this.ends.put(name, lease.isHeld() ? "held" : "lost");
		}

		void awaitBegun() {
			await(this.begun);
		}

		@EventListener(ContextClosedEvent.class)
		void close() {
			this.closing.countDown();
		}

		private static void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Tasks {

		private final Work work;

		private final LockTemplate locks;

		Tasks(Work work, LockTemplate locks) {
			this.work = work;
			this.locks = locks;
		}

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "delay", ttl = "3s")
		void withFixedDelay() {
			this.work.run("delay", 1);
		}

		@Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "rate", ttl = "3s", minHold = "1ms")
		void atFixedRate() {
			this.work.run("rate", 2);
		}

		@Async
		void inBackground() {
			LockRequest request = LockRequest.of("background").ttl(Duration.ofSeconds(3));
			this.locks.executeWithoutResult(request, (lease) -> this.work.run("background", 2));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	@EnableAsync
	static class Working {

		@Bean
		Work work() {
			return new Work();
		}

		@Bean
		Tasks tasks(Work work, LockTemplate locks) {
			return new Tasks(work, locks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Other {

	}

}
