package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the ticks of a scheduled method whose lock is not in the default store.
 */
class TickOfOneOfSeveralStoresTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withBean(Job.class)
		.withPropertyValues("lock.backends=other,local", "lock.backend=other");

	@Test
	void tickRunsAndIsMissedAtTheStoreOfItsLock() {
		this.runner.run((context) -> {
			AtomicInteger runs = context.getBean(Job.class).runs();
			List<TickMissedEvent> missed = context.getBean(Application.class).missed;
			LockTemplate template = context.getBean(LockTemplate.class);
			Lease atTheDefaultStore = template.acquire("job");
			int before = runs.get();
			await().atMost(PATIENCE).until(() -> runs.get() > before);

			Lease atItsStore = template.acquire(LockRequest.of("job").backend("local").waitTime(PATIENCE));
			await().atMost(PATIENCE).until(() -> !missed.isEmpty());

			assertThat(missed.get(0).backend()).isEqualTo("local");
			assertThat(missed.get(0).key()).isEqualTo("job");
			atItsStore.release();
			atTheDefaultStore.release();
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Application {

		final List<TickMissedEvent> missed = new CopyOnWriteArrayList<>();

		@Bean
		LockBackend other() {
			SystemLockClock clock = new SystemLockClock();
			return new LocalLockBackend(new LocalStore(clock), "test", clock);
		}

		@EventListener
		void missed(TickMissedEvent event) {
			this.missed.add(event);
		}

	}

	static class Job {

		private final AtomicInteger runs = new AtomicInteger();

		@Scheduled(cron = "* * * * * *")
		@DistributedLock(name = "job", backend = "local")
		void run() {
			this.runs.incrementAndGet();
		}

		AtomicInteger runs() {
			return this.runs;
		}

	}

}
