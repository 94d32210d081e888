package io.distributedlock.recipes;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The recipe for one call per second over all instances, with a clock that only the test
 * moves.
 */
class RateWindowRecipeTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final Geocoder geocoder = new Geocoder();

	@Test
	void nextCallOfAnyInstanceBeginsAfterASecond() {
		instance("first").run((first) -> instance("other").run((other) -> {
			first.getBean(Positions.class).locate("a");
			CompletableFuture.runAsync(() -> first.getBean(Positions.class).locate("b"));
			CompletableFuture.runAsync(() -> other.getBean(Positions.class).locate("c"));
			await().until(() -> other.getBean(LocalLockBackend.class).isWaitedFor("geocoder"));

			passWindow(first, 1);
			passWindow(first, 2);
			assertThat(this.geocoder.asked).hasValue(3);
		}));
	}

	/**
	 * Let a second pass, at whose end the next call begins.
	 */
	private void passWindow(ApplicationContext instance, int asked) {
		this.clock.advance(Duration.ofMillis(999));
		assertThat(instance.getBean(LockTemplate.class).tryAcquire("geocoder")).isEmpty();
		assertThat(this.geocoder.asked).hasValue(asked);

		this.clock.advance(Duration.ofMillis(1));
		await().untilAsserted(() -> assertThat(this.geocoder.asked).hasValue(asked + 1));
	}

	private ApplicationContextRunner instance(String name) {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(LockClock.class, () -> this.clock)
			.withBean("localLockBackend", LocalLockBackend.class,
					() -> new LocalLockBackend(this.store, name, this.clock))
			.withBean(Positions.class, () -> new Positions(this.geocoder))
			.withPropertyValues("lock.backend=local");
	}

	public static class Positions {

		private final Geocoder geocoder;

		Positions(Geocoder geocoder) {
			this.geocoder = geocoder;
		}

		// tag::rate-window[]
		@DistributedLock(name = "geocoder", minHold = "1s", waitTime = "1m")
		public String locate(String address) {
			return this.geocoder.ask(address);
		}
		// end::rate-window[]

	}

	/**
	 * A service that all instances ask, and that allows one call a second.
	 */
	static class Geocoder {

		private final AtomicInteger asked = new AtomicInteger();

		String ask(String address) {
			this.asked.incrementAndGet();
			return "position of " + address;
		}

	}

}
