package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.fencing.RedisFencingGuard;
import io.distributedlock.integration.LeaseLockRegistry;
import io.distributedlock.test.Leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

/**
 * Tests that each duration of a caller or a property has bounds, which the message names.
 */
class DurationBoundsTests {

	private static final Duration LONGEST = Duration.ofDays(3650);

	private static final Duration TOO_LONG = LONGEST.plusMillis(1);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockRegistryAutoConfiguration.class,
				LockLeaderElectionAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	static Stream<Arguments> timesOfRequests() {
		LockRequest request = LockRequest.of("order:7");
		return Stream.of(time((value) -> request.ttl(value), "ttl", "100 ms"),
				time((value) -> request.minHold(value), "minHold", "0 ms"),
				time((value) -> request.maxHold(value), "maxHold", "100 ms"));
	}

	private static Arguments time(Consumer<Duration> setter, String name, String least) {
		return Arguments.of(setter, name, least);
	}

	@ParameterizedTest
	@MethodSource("timesOfRequests")
	void timeOfARequestThatIsTooLongIsRefused(Consumer<Duration> setter, String name, String least) {
		setter.accept(LONGEST);

		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> setter.accept(TOO_LONG))
			.withMessage("The %s of the lock on [order:7] must be between %s and 3650 days, but is PT87600H0.001S",
					name, least);
	}

	@Test
	void extensionThatIsTooLongIsRefusedByEachKindOfLease() {
		this.runner.run((context) -> {
			LeaseLockRegistry registry = context.getBean(LeaseLockRegistry.class);
			registry.obtain("order:7").lock();
			assertExtensionsAreBounded((time) -> registry.renewLock("order:7", time));
			registry.obtain("order:7").unlock();

			try (Lease lease = context.getBean(LockTemplate.class).acquire("order:7")) {
				assertExtensionsAreBounded(lease::extend);
			}
		});
		assertExtensionsAreBounded(Leases.fake("order:7", 1)::extend);
	}

	private static void assertExtensionsAreBounded(Consumer<Duration> extension) {
		extension.accept(LONGEST);

		for (Duration time : new Duration[] { TOO_LONG, Duration.ofDays(72 * 365), Duration.ofSeconds(Long.MAX_VALUE),
				Duration.ZERO, Duration.ofMillis(-1), null }) {
			assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> extension.accept(time))
				.withMessage("The lease on [order:7] can't be extended by %s:"
						+ " the time must be more than zero and at most 3650 days", time);
		}
	}

	@ParameterizedTest
	@CsvSource({ "PT0S", "PT0.000999999S", "PT-1S", "PT87600H0.001S", "PT2562047788015215H30M7S" })
	void timesOfValuesInRedisHaveTheSameBounds(Duration time) {
		RedisConnectionFactory factory = mock();
		RedisFencingGuard guard = new RedisFencingGuard(factory, LONGEST);

		assertThatIllegalArgumentException().isThrownBy(() -> guard.set("order:7", "value", 1, time))
			.withMessage("The value of 'order:7' can't stay for %s: the time must be between 1 ms and 3650 days", time);
		assertThatIllegalArgumentException().isThrownBy(() -> new RedisFencingGuard(factory, time))
			.withMessage("Tokens can't be remembered for %s: the time must be between 1 ms and 3650 days", time);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					lock.ttl                         | It must be between 100ms and 3650d; a number without a unit counts milliseconds.
					lock.wait-time                   | It must be between 0ms and 3650d; a number without a unit counts milliseconds.
					lock.call-timeout                | It must be between 1ms and 3650d; a number without a unit counts milliseconds.
					lock.max-hold                    | It must be between 100ms and 3650d; a number without a unit counts milliseconds.
					lock.token-retention             | It must be between 1m and 3650d; a number without a unit counts milliseconds.
					lock.stop-timeout                | It must be between 0ms and 3650d; a number without a unit counts milliseconds.
					lock.await-holders               | It must be between 0ms and 3650d; a number without a unit counts milliseconds.
					lock.startup-timeout             | It must be between 0ms and 3650d; a number without a unit counts milliseconds.
					lock.handover.max-duration       | It must be between 0ms and 3650d; a number without a unit counts milliseconds.
					lock.circuit.open-after          | It must be between 0ms and 3650d; a number without a unit counts milliseconds.
					lock.circuit.probe-interval      | It must be between 0ms and 3650d; a number without a unit counts milliseconds.
					lock.transactions.commit-margin  | It must be between 0ms and 1825d; 0 only asks whether the lease is held.
					lock.leader-election.heart-beat  | It must be between 100ms and 1h; a number without a unit counts milliseconds.
					lock.leader-election.ttl         | A crashed leader's lock is kept for the ttl without one lock.leader-election.heart-beat, which is 2000ms, and between 100ms and 3650d must be left.
					""",
			quoteCharacter = '`')
	void propertyThatIsTooLongIsRefused(String property, String reason) {
		this.runner.withPropertyValues("lock.leader-election.roles=reports", property + "=3651d")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("Property %s with value 'PT87624H' is invalid: %s", property, reason));
	}

	@Test
	void longestTtlOfRedisHasTheSameBounds() {
		RedisLockSettings settings = new RedisLockSettings("lock:", "i", Duration.ofSeconds(1), Duration.ofHours(1));
		settings.withFailoverQuarantine(LONGEST);

		for (Duration time : new Duration[] { Duration.ofMillis(99), TOO_LONG, Duration.ofSeconds(Long.MAX_VALUE) }) {
			assertThatIllegalArgumentException().isThrownBy(() -> settings.withFailoverQuarantine(time))
				.withMessage("The longest ttl (lock.redis.max-ttl) must be between 100 ms and 3650 days, but is %s",
						time);
		}
	}

}
