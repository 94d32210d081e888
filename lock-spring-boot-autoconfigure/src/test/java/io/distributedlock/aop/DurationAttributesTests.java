package io.distributedlock.aop;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for durations in attributes, each in a context of its own, with their value or
 * the failure of the startup.
 */
class DurationAttributesTests {

	private static ApplicationContextRunner runner(String attribute, @Nullable String value) {
		Map<String, String> properties = new HashMap<>(Map.of("filled", "7s", "empty", ""));
		properties.put("test." + attribute, (value != null) ? value : "");
		return LockedContext.runner(Durations.class)
			.withPropertyValues(properties.entrySet()
				.stream()
				.map((entry) -> entry.getKey() + "=" + entry.getValue())
				.toArray(String[]::new));
	}

	@ParameterizedTest
	@CsvSource({ "10s, PT10S", "PT10S, PT10S", "500ms, PT0.5S", "' 10s ', PT10S", "1h30m, PT1H30M", "${filled}, PT7S",
			"${missing:5s}, PT5S", "100ms, PT0.1S", "3650d, PT87600H" })
	void bothGiveTheDuration(String value, Duration expected) {
		runner("ttl", value).run((context) -> {
			context.getBean(Durations.class).call();

			assertThat(context.getBean(RecordingScopes.class).onlyRequest().getTtl()).isEqualTo(expected);
		});
		runner("wait", value).run((context) -> {
			context.getBean(Durations.class).call();

			assertThat(context.getBean(RecordingScopes.class).onlyRequest().getWaitTime()).isEqualTo(expected);
		});
	}

	@ParameterizedTest
	@CsvSource({ "10, has no unit; write for example 10s", "0, has no unit", "-1s, is negative",
			"1.5s, is no duration; write for example 500ms", "#{10}, is no duration",
			"${empty}, is blank; omit the attribute", "${missing}, can't be resolved",
			"9223372036854775808ms, is longer than 3650 days", "106751991168d, is longer than 3650 days",
			"'', is blank" })
	void bothFailTheStartWithBeanMethodAndAttribute(@Nullable String value, String problem) {
		assertFails("ttl", "ttl", value, problem);
		assertFails("wait", "waitTime", value, problem);
	}

	@ParameterizedTest
	@CsvSource({ "ttl, ttl, 0s", "ttl, ttl, 99ms", "maxHold, maxHold, 0s", "maxHold, maxHold, 99ms" })
	void whatIsTooShortFailsTheStart(String property, String attribute, String value) {
		assertFails(property, attribute, value, "is less than 100ms");
	}

	private static void assertFails(String property, String attribute, @Nullable String value, String problem) {
		runner(property, value).run((context) -> assertThat(LockedContext.failure(context))
			.hasMessageStartingWith("@DistributedLock on " + Durations.class.getName() + ".call() (bean 'durations'), "
					+ attribute + ": '")
			.hasMessageContaining(problem));
	}

	@ParameterizedTest
	@CsvSource({ "0s, PT0S", "50ms, PT0.05S" })
	void waitTimeAndMinHoldMayBeShort(String value, Duration expected) {
		runner("wait", value).run((context) -> {
			context.getBean(Durations.class).call();

			assertThat(context.getBean(RecordingScopes.class).onlyRequest().getWaitTime()).isEqualTo(expected);
		});
		runner("minHold", value).run((context) -> {
			context.getBean(Durations.class).call();

			assertThat(context.getBean(RecordingScopes.class).onlyRequest().getMinHold()).isEqualTo(expected);
		});
	}

	public static class Durations {

		@DistributedLock(ttl = "${test.ttl:30s}", waitTime = "${test.wait:1s}", minHold = "${test.minHold:0s}",
				maxHold = "${test.maxHold:3650d}")
		public void call() {
		}

	}

}
