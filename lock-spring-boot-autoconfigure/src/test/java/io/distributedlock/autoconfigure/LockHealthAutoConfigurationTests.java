package io.distributedlock.autoconfigure;

import java.util.stream.StreamSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.LockTemplate;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.test.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockHealthAutoConfiguration}.
 */
class LockHealthAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockHealthAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	private static Health health(CompositeHealthContributor locks, String store) {
		return ((HealthIndicator) locks.getContributor(store)).health();
	}

	@Test
	void eachStoreHasAnIndicator() {
		SystemLockClock clock = new SystemLockClock();
		this.runner.withPropertyValues("lock.backends=local,spare")
			.withBean("spare", LocalLockBackend.class, () -> new LocalLockBackend(new LocalStore(clock), "i", clock))
			.run((context) -> {
				CompositeHealthContributor locks = context.getBean("locksHealthContributor",
						CompositeHealthContributor.class);

				assertThat(StreamSupport.stream(locks.spliterator(), false)).extracting(HealthContributors.Entry::name)
					.containsExactly("local", "spare");
				assertThat(health(locks, "spare").getDetails()).containsEntry("store", "spare");
			});
	}

	@Test
	void healthFollowsTheStore() {
		this.runner.withPropertyValues("lock.health.interval=1ms").run((context) -> {
			CompositeHealthContributor locks = context.getBean(CompositeHealthContributor.class);
			assertThat(health(locks, "local").getStatus()).isEqualTo(Status.UP);

			try (LocalLocks.Outage outage = context.getBean(LocalLocks.class).makeUnavailable()) {
				assertThat(outage).isNotNull();
				awaitStatus(locks, Status.DOWN);
			}
			awaitStatus(locks, Status.UP);

			context.getBeansOfType(SmartLifecycle.class).values().forEach(SmartLifecycle::stop);
			assertThat(health(locks, "local").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		});
	}

	private static void awaitStatus(CompositeHealthContributor locks, Status status) {
		Awaitility.await().untilAsserted(() -> assertThat(health(locks, "local").getStatus()).isEqualTo(status));
	}

	@Test
	void acquisitionIsEvidence() {
		this.runner.run((context) -> {
			context.getBean(LockTemplate.class).acquire("k").close();

			assertThat(health(context.getBean(CompositeHealthContributor.class), "local").getDetails())
				.containsEntry("evidence", "acquisition");
		});
	}

	@Test
	void neverProbedStoreWithoutAcquisitionsIsUnknown() {
		this.runner.withPropertyValues("lock.health.probe=never", "lock.startup-check=none")
			.run((context) -> assertThat(health(context.getBean(CompositeHealthContributor.class), "local").getStatus())
				.isEqualTo(Status.UNKNOWN));
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.health.locks.enabled=false", "management.health.defaults.enabled=false" })
	void canBeTurnedOff(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthContributor.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "locksHealthIndicator", "locksHealthContributor" })
	void indicatorOfTheApplicationTakesThePlaceOfOurs(String name) {
		this.runner.withBean(name, HealthIndicator.class, () -> () -> Health.up().build())
			.run((context) -> assertThat(context).hasSingleBean(HealthContributor.class));
	}

	@Test
	void withoutHealthTheLocksWorkAsBefore() {
		new ApplicationContextRunner().withUserConfiguration(Imported.class)
			.withPropertyValues("lock.backend=local")
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
			.run((context) -> assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent());
	}

	@Test
	void endpointsAreNotNeeded() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(health(context.getBean(CompositeHealthContributor.class), "local").getStatus())
				.isEqualTo(Status.UP));
	}

	@ParameterizedTest
	@CsvSource({ "interval, 0s", "interval, 3651d", "latency-threshold, -1s", "timeout, 0s" })
	void timeOutOfRangeIsRefused(String name, String value) {
		this.runner.withPropertyValues("lock.health." + name + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll("lock.health." + name,
						"It must be between 1ms and 3650d; a number without a unit counts milliseconds."));
	}

	/**
	 * Imports by name, as an application does, without loading the classes before their
	 * conditions are known.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LockAutoConfiguration.class, LockHealthAutoConfiguration.class })
	static class Imported {

	}

}
