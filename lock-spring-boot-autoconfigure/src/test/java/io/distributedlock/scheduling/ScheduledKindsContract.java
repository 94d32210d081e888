package io.distributedlock.scheduling;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LockListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract for schedules without ticks. Their instants depend on the start of an
 * instance, so a time keeps other instances away. Here it is longer than any test, and
 * longer than the greatest lease of some stores.
 */
abstract class ScheduledKindsContract extends ScheduledInstances {

	@Test
	void theTimesOfASecondInstanceAreKeptFreeUnlessAttributesSayOtherwise() {
		List<String> first = new CopyOnWriteArrayList<>();
		List<String> second = new CopyOnWriteArrayList<>();

		start(first);
		awaitNews(first, 10);
		start(second);
		awaitNews(second, 8);

		assertThat(first).containsExactlyInAnyOrder("acquired rate", "released rate", "acquired delay",
				"released delay", "acquired rate-of-its-own", "released rate-of-its-own", "acquired delay-of-its-own",
				"released delay-of-its-own", "acquired once", "released once");
		assertThat(second).containsExactlyInAnyOrder("busy rate", "busy delay", "acquired rate-of-its-own",
				"released rate-of-its-own", "acquired delay-of-its-own", "released delay-of-its-own", "acquired once",
				"released once");
	}

	private static void awaitNews(List<String> news, int count) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.untilAsserted(() -> assertThat(news).hasSizeGreaterThanOrEqualTo(count));
	}

	private ConfigurableApplicationContext start(List<String> news) {
		return start(AllKinds.class,
				(context) -> context.getBeanFactory().registerSingleton("news", new Newspaper(news)));
	}

	/**
	 * Records the outcome of the runs of one instance.
	 */
	private static final class Newspaper implements LockListener {

		private final List<String> news;

		Newspaper(List<String> news) {
			this.news = news;
		}

		@Override
		public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
			this.news.add("acquired " + request.getName());
		}

		@Override
		public void busy(String backend, LockRequest request, Duration waited) {
			this.news.add("busy " + request.getName());
		}

		@Override
		public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
			this.news.add("unavailable " + request.getName() + ": " + cause);
		}

		@Override
		public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
			this.news.add("released " + request.getName());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	static class AllKinds {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	static class Jobs {

		@Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "rate")
		void rate() {
		}

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "delay")
		void delay() {
		}

		@Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "rate-of-its-own", minHold = "1ms")
		void rateOfItsOwn() {
		}

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "delay-of-its-own", minHold = "1ms")
		void delayOfItsOwn() {
		}

		@Scheduled(initialDelay = 0)
		@DistributedLock(name = "once")
		void once() {
		}

	}

}
