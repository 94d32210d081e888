package io.distributedlock.autoconfigure;

import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import io.distributedlock.Locks;
import io.distributedlock.integration.LeaseLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockRegistryAutoConfiguration}.
 */
class LockRegistryAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockRegistryAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	@Test
	void registryLocksTheKeysOfTheTemplate() {
		this.runner.run((context) -> {
			Lock lock = context.getBean(LockRegistry.class).obtain("k");
			lock.lock();

			assertThat(context.getBean(Locks.class).find("k")).isPresent();
			lock.unlock();
		});
	}

	@Test
	void registryIsInjectedByEachOfItsTypes() {
		this.runner.withUserConfiguration(InjectionPoints.class).run((context) -> {
			InjectionPoints points = context.getBean(InjectionPoints.class);
			assertThat(context.getBean(LeaseLockRegistry.class)).isSameAs(points.raw)
				.isSameAs(points.wildcard)
				.isSameAs(points.ofLocks)
				.isSameAs(points.renewable);
		});
	}

	@Test
	void registryOfTheApplicationTakesThePlaceOfOurs() {
		this.runner.withBean("mine", DefaultLockRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.doesNotHaveBean(LeaseLockRegistry.class));
	}

	@Test
	void withoutSpringIntegrationThereIsNoRegistry() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lockRegistry"));
	}

	@Configuration(proxyBeanMethods = false)
	static class InjectionPoints {

		private final Object raw;

		private final LockRegistry<?> wildcard;

		private final LockRegistry<DistributedLock> ofLocks;

		private final RenewableLockRegistry<?> renewable;

		InjectionPoints(@SuppressWarnings("rawtypes") LockRegistry raw, LockRegistry<?> wildcard,
				LockRegistry<DistributedLock> ofLocks, RenewableLockRegistry<?> renewable) {
			this.raw = raw;
			this.wildcard = wildcard;
			this.ofLocks = ofLocks;
			this.renewable = renewable;
		}

	}

}
