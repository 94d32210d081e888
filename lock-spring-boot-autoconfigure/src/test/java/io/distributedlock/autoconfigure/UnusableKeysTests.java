package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that keys which do not distinguish resources reach neither the store nor a body,
 * with any kind of call.
 */
class UnusableKeysTests {

	private static final AtomicInteger BODIES = new AtomicInteger();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local")
		.withBean(Tenants.class);

	@BeforeEach
	void reset() {
		BODIES.set(0);
	}

	@Test
	void aUsableKeyIsUsed() {
		this.runner.run((context) -> {
			context.getBean(Tenants.class).bill("acme");

			assertThat(BODIES).hasValue(1);
		});
	}

	static Stream<@Nullable Object> unusable() {
		return Stream.of(null, "", "   ", Optional.empty(), List.of(), new long[0], List.of("a", " "), new Object());
	}

	@ParameterizedTest
	@MethodSource("unusable")
	void anAnnotatedMethodRefusesThem(@Nullable Object tenant) {
		this.runner.run((context) -> {
			Tenants tenants = context.getBean(Tenants.class);

			assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> tenants.bill(tenant))
				.withMessageContaining("#tenant")
				.withMessageContaining("Tenants.bill(Object)");

			assertThat(BODIES).hasValue(0);
			assertThat(context.getBean(Locks.class).list()).isEmpty();
		});
	}

	@Test
	void theTemplateRefusesThem() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);

			for (String key : new String[] { null, "", "   ", "\ud800", "k".repeat(256) }) {
				assertThatExceptionOfType(InvalidLockRequestException.class)
					.isThrownBy(() -> template.executeWithoutResult(key, (lease) -> BODIES.incrementAndGet()));
				assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> template.tryAcquire(key));
			}

			assertThat(BODIES).hasValue(0);
			assertThat(context.getBean(Locks.class).list()).isEmpty();
		});
	}

	public static class Tenants {

		@DistributedLock(name = "tenant", key = "#tenant")
		public void bill(@Nullable Object tenant) {
			BODIES.incrementAndGet();
		}

	}

}
