package io.distributedlock.aop;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link DurationParser}.
 */
class DurationParserTests {

	@ParameterizedTest
	@CsvSource({ "500ms, PT0.5S", "30s, PT30S", "10S, PT10S", "5m, PT5M", "1h30m, PT1H30M", "2d, PT48H",
			"1d2h3m4s5ms, PT26H3M4.005S", "90s, PT90S", "0s, PT0S", "PT30S, PT30S", "pt1h30m, PT1H30M",
			"PT1.5S, PT1.5S", "P1D, PT24H", "' 10s ', PT10S", "3650d, PT87600H" })
	void readsTheOneGrammar(String text, Duration expected) {
		assertThat(DurationParser.parse(text)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "10, has no unit; write for example 10s", "0, has no unit; write for example 0s",
			"+5, has no unit; write for example 5s", "-1, is negative", "-1s, is negative", "PT-1S, is negative",
			"-PT1S, is negative", "1.5s, is no duration", "10 s, is no duration", "1m1h, is no duration",
			"s, is no duration", "#{10}, is no duration", "PT, is no duration", "P1M, is no duration",
			"5x, is no duration", "'', is no duration", "'  ', is no duration", "1us, is no duration" })
	void refusesWhatIsNoneAndSaysWhy(String text, String problem) {
		assertThatIllegalArgumentException().isThrownBy(() -> DurationParser.parse(text))
			.withMessageContaining(problem);
	}

	@ParameterizedTest
	@CsvSource({ "9223372036854775807ms", "9223372036854775808ms", "99999999999999999999s", "9223372036854775807d",
			"9223372036854775807s9223372036854775807ms", "PT99999999999999999H", "3651d" })
	void refusesWhatIsTooLong(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> DurationParser.parse(text))
			.withMessageContaining("is longer than 3650 days");
	}

}
