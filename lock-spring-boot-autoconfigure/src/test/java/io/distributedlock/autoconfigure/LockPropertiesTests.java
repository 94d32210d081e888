package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockProperties}.
 */
class LockPropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	@ParameterizedTest
	@CsvSource({ "lock.ttl, 99ms", "lock.ttl, 0", "lock.ttl, -1s", "lock.ttl, 4000d", "lock.wait-time, -1ms",
			"lock.call-timeout, 0s", "lock.max-hold, 99ms", "lock.max-hold, -5s", "lock.token-retention, 59s",
			"lock.token-epoch, -1", "lock.token-epoch, 128", "lock.stop-timeout, -1s", "lock.await-holders, -1s",
			"lock.handover.max-count, -1", "lock.handover.max-duration, -1ms" })
	void valueOutOfRangeEndsTheStartAndIsNamed(String property, String value) {
		this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("Property " + property + " with value '"));
	}

	@Test
	void epochOutOfRangeIsRefusedWithTheRange() {
		this.runner.withPropertyValues("lock.token-epoch=128")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("Property lock.token-epoch with value '128' is invalid: It must be between 0 and 127."));
	}

	@ParameterizedTest
	@CsvSource({ "lock.ttl, ten", "lock.ttl, 1.5s", "lock.wait-time, 1h30m" })
	void valueThatIsNoDurationEndsTheStartAndIsNamed(String property, String value) {
		this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("Failed to bind properties under '" + property + "'"));
	}

	@ParameterizedTest
	@CsvSource({ "100ms, PT0.1S", "PT10S, PT10S", "30000, PT30S", "10m, PT10M" })
	void durationsAreReadAsSpringBootReadsThem(String text, String duration) {
		this.runner.withPropertyValues("lock.ttl=" + text)
			.run((context) -> assertThat(context.getBean(LockEngine.class).settings().ttl()).hasToString(duration));
	}

	@Test
	void reasonSaysHowANumberWithoutUnitCounts() {
		this.runner.withPropertyValues("lock.ttl=30")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining(
						"It must be between 100ms and 3650d; a number without a unit counts milliseconds."));
	}

}
