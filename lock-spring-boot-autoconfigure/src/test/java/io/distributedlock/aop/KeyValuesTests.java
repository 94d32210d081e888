package io.distributedlock.aop;

import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link KeyValues}.
 */
class KeyValuesTests {

	static Stream<Arguments> keys() {
		return Stream.of(Arguments.of("a", List.of("a")), Arguments.of(" a ", List.of(" a ")),
				Arguments.of(new StringBuilder("sb"), List.of("sb")), Arguments.of(42, List.of("42")),
				Arguments.of(-7L, List.of("-7")), Arguments.of(true, List.of("true")), Arguments.of('c', List.of("c")),
				Arguments.of(new UUID(1, 2), List.of("00000000-0000-0001-0000-000000000002")),
				Arguments.of(LocalDate.of(2024, 2, 29), List.of("2024-02-29")),
				Arguments.of(Chatty.LOUD, List.of("LOUD")), Arguments.of(DayOfWeek.MONDAY, List.of("MONDAY")),
				Arguments.of(Optional.of(3), List.of("3")), Arguments.of(Optional.of(Optional.of("x")), List.of("x")),
				Arguments.of(new Id("7"), List.of("Id[value=7]")), Arguments.of(List.of("a", "b"), List.of("a", "b")),
				Arguments.of(new LinkedHashSet<>(List.of(2, 1)), List.of("2", "1")),
				Arguments.of(new String[] { "a", "b" }, List.of("a", "b")),
				Arguments.of(new long[] { 1, 2 }, List.of("1", "2")),
				Arguments.of(List.of(Optional.of("a"), List.of("b")), List.of("a", "b")),
				Arguments.of(Path.of("a", "b"), List.of(Path.of("a", "b").toString())));
	}

	@ParameterizedTest
	@MethodSource("keys")
	void turnsValuesIntoKeys(Object value, List<String> expected) {
		assertThat(KeyValues.of(value)).isEqualTo(expected);
	}

	static Stream<Arguments> refused() {
		return Stream.of(Arguments.of(null, "null"), Arguments.of("", "''"), Arguments.of("  ", "'  '"),
				Arguments.of("\t\n", "blank"), Arguments.of(Optional.empty(), "null"),
				Arguments.of(List.of(), "an empty java.util"), Arguments.of(new int[0], "an empty int[]"),
				Arguments.of(new Object(), "an object of java.lang.Object"),
				Arguments.of(new NoText(), "an object of " + NoText.class.getName()),
				Arguments.of(new ForwardsText(), "an object of " + ForwardsText.class.getName()),
				Arguments.of(List.of("a", new NoText()), "an object of " + NoText.class.getName()),
				Arguments.of(new ArrayList<>(Arrays.asList("a", null)), "null"),
				Arguments.of(List.of("a", " "), "blank"));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void refusesWhatTellsNothingApart(@Nullable Object value, String problem) {
		assertThatIllegalArgumentException().isThrownBy(() -> KeyValues.of(value)).withMessageContaining(problem);
	}

	@Test
	void aNullTextIsNoKey() {
		Object value = new Object() {

			@Override
			@SuppressWarnings("NullAway")
			public String toString() {
				return null;
			}

		};

		assertThatIllegalArgumentException().isThrownBy(() -> KeyValues.of(value));
	}

	enum Chatty {

		LOUD;

		@Override
		public String toString() {
			return "not the name";
		}

	}

	record Id(String value) {
	}

	static class NoText {

	}

	static class ForwardsText {

		@Override
		public String toString() {
			return super.toString();
		}

	}

}
