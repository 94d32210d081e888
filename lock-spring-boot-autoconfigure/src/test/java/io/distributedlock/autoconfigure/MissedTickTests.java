package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.TickMissedEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for ticks that find their lock taken.
 */
@ExtendWith(OutputCaptureExtension.class)
class MissedTickTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withBean(Job.class)
		.withPropertyValues("lock.backend=local");

	@Test
	void missedTickIsLoggedAndPublishedAndTheScheduleGoesOn(CapturedOutput output) {
		this.runner.run((context) -> {
			AtomicInteger bodies = context.getBean(Job.class).bodies();
			List<TickMissedEvent> missed = context.getBean(Application.class).missed;
			await().until(() -> bodies.get() > 0);
			Lease other = context.getBean(LockTemplate.class).acquire("job");
			await().until(() -> !missed.isEmpty());
			other.release();

			int before = bodies.get();
			await().until(() -> bodies.get() > before);
			TickMissedEvent event = missed.get(0);
			assertThat(event.backend()).isEqualTo("local");
			assertThat(event.key()).isEqualTo("job");
			assertThat(event.name()).isEqualTo("job");
			assertThat(output).contains("The tick " + event.tick() + " of 'job' was missed here");
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Application {

		final List<TickMissedEvent> missed = new CopyOnWriteArrayList<>();

		@EventListener
		void missed(TickMissedEvent event) {
			this.missed.add(event);
		}

	}

	static class Job {

		private final AtomicInteger bodies = new AtomicInteger();

		@Scheduled(cron = "* * * * * *")
		@DistributedLock(name = "job")
		void run() {
			this.bodies.incrementAndGet();
		}

		AtomicInteger bodies() {
			return this.bodies;
		}

	}

}
