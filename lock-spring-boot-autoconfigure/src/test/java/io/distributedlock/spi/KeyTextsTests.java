package io.distributedlock.spi;

import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.InvalidLockRequestException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KeyTexts}.
 */
class KeyTextsTests {

	static Stream<Arguments> keys() {
		return Stream.of(Arguments.of("a", List.of("a")), Arguments.of(" a ", List.of(" a ")),
				Arguments.of(new StringBuilder("sb"), List.of("sb")), Arguments.of(42, List.of("42")),
				Arguments.of(-7L, List.of("-7")), Arguments.of(new BigDecimal("1.50"), List.of("1.50")),
				Arguments.of(true, List.of("true")), Arguments.of('c', List.of("c")),
				Arguments.of(new UUID(1, 2), List.of("00000000-0000-0001-0000-000000000002")),
				Arguments.of(LocalDate.of(2024, 2, 29), List.of("2024-02-29")),
				Arguments.of(Instant.EPOCH, List.of("1970-01-01T00:00:00Z")),
				Arguments.of(URI.create("urn:a"), List.of("urn:a")), Arguments.of(Chatty.LOUD, List.of("LOUD")),
				Arguments.of(DayOfWeek.MONDAY, List.of("MONDAY")), Arguments.of(Optional.of(3), List.of("3")),
				Arguments.of(Optional.of(Optional.of("x")), List.of("x")),
				Arguments.of("user@cafe", List.of("user@cafe")));
	}

	static Stream<Arguments> severalKeys() {
		return Stream.of(Arguments.of(List.of("a", "b"), List.of("a", "b")),
				Arguments.of(new LinkedHashSet<>(List.of(2, 1)), List.of("2", "1")),
				Arguments.of(new TreeSet<>(List.of(2, 1)), List.of("1", "2")),
				Arguments.of(new String[] { "a", "b" }, List.of("a", "b")),
				Arguments.of(new long[] { 1, 2 }, List.of("1", "2")),
				Arguments.of(List.of(Optional.of("a"), List.of("b")), List.of("a", "b")));
	}

	static Stream<Arguments> records() {
		return Stream.of(Arguments.of(new Id("7"), List.of("Id[value=7]")),
				Arguments.of(new Id("user@cafe"), List.of("Id[value=user@cafe]")),
				Arguments.of(new Id(null), List.of("Id[value=null]")),
				Arguments.of(new Id(Optional.of(new Id(DayOfWeek.MONDAY))),
						List.of("Id[value=Optional[Id[value=MONDAY]]]")),
				Arguments.of(new Id(List.of(1, 2)), List.of("Id[value=[1, 2]]")),
				Arguments.of(new Id(new TreeSet<>(List.of(2, 1))), List.of("Id[value=[1, 2]]")),
				Arguments.of(new Id(Optional.empty()), List.of("Id[value=Optional.empty]")),
				// By its components, regardless of its own text.
				Arguments.of(new WithText("7"), List.of("WithText[value=7]")),
				Arguments.of(new ForwardingRecord("a"), List.of("ForwardingRecord[value=a]")),
				Arguments.of(new Id(Chatty.LOUD), List.of("Id[value=LOUD]")),
				Arguments.of(new OrderedView(new HashSet<>(List.of("b", "a"))), List.of("OrderedView[tags=[a, b]]")));
	}

	@ParameterizedTest
	@MethodSource({ "keys", "severalKeys", "records" })
	void turnsValuesIntoKeys(Object value, List<String> expected) {
		assertThat(KeyTexts.PLAIN.keysOf(value)).isEqualTo(expected);
	}

	static Stream<Arguments> nothing() {
		return Stream.of(Arguments.of(null, "null, which is no key"), Arguments.of("", "'', which is blank"),
				Arguments.of("  ", "'  ', which is blank"), Arguments.of("\t\n", "'\\t\\n', which is blank"),
				Arguments.of(Optional.empty(), "null, which is no key"),
				Arguments.of(List.of(), "no key at all, an empty java.util"),
				Arguments.of(new int[0], "no key at all, an empty int[]"),
				Arguments.of(new ArrayList<>(Arrays.asList("a", null)), "null, which is no key"),
				Arguments.of(List.of("a", " "), "blank"));
	}

	static Stream<Arguments> differentInEveryJvm() {
		return Stream.of(Arguments.of(new Object(), "a java.lang.Object, whose text may differ between JVMs; "),
				Arguments.of(new NoText(), "a " + NoText.class.getTypeName() + ", whose text"),
				Arguments.of(new ForwardsText(), "a " + ForwardsText.class.getTypeName() + ", whose text"),
				Arguments.of(List.of("a", new NoText()), "a " + NoText.class.getTypeName()),
				Arguments.of(new AtomicReference<>("a"), "AtomicReference, whose text"),
				// With the separator of the operating system.
				Arguments.of(Path.of("a", "b"), "Path, whose text may differ between JVMs"),
				// In the time zone of the JVM.
				Arguments.of(new Date(), "a java.util.Date, whose text"),
				Arguments.of(Map.of("a", 1), ", whose order may differ between JVMs"),
				Arguments.of(Set.of("a", "b"), ", whose order may differ between JVMs"),
				Arguments.of(new byte[] { 1 }, "a byte[], whose text"),
				Arguments.of(new Id(new byte[] { 1 }), "a byte[] (Id.value), whose text"),
				Arguments.of(new Id(Set.of(1)), "(Id.value), whose order may differ between JVMs"),
				Arguments.of(new Id(new HashMap<>()), "a java.util.HashMap (Id.value), whose order"),
				Arguments.of(new Id(List.of(new Id(new NoText()))), "(Id.value.value), whose text"),
				Arguments.of(new Id(new int[] { 1 }), "a int[] (Id.value), which stands for several keys"),
				Arguments.of(new Id(new Silent()), "which differs between JVMs"),
				// Its text differs between versions of Java.
				Arguments.of(2e23, "a java.lang.Double, whose text may differ between JVMs"),
				Arguments.of(new Id(1.5f), "a java.lang.Float (Id.value), whose text may differ between JVMs"));
	}

	@ParameterizedTest
	@MethodSource({ "nothing", "differentInEveryJvm" })
	void refusesObjectsWithoutDistinctText(@Nullable Object value, String problem) {
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> KeyTexts.PLAIN.keysOf(value))
			.withMessageContaining(problem);
	}

	@Test
	void asksForTheTextOfWhatHasNone() {
		KeyTexts texts = new KeyTexts((object) -> (object instanceof NoText) ? "converted" : null, "do something");

		assertThat(texts.keysOf(new NoText())).containsExactly("converted");
		assertThat(texts.keysOf(List.of("a", new NoText()))).containsExactly("a", "converted");
		assertThat(texts.keysOf(new Id("7"))).containsExactly("Id[value=7]");
		assertThat(texts.keysOf(new Id(new NoText()))).containsExactly("Id[value=converted]");
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> texts.keysOf(new Object()))
			.withMessageEndingWith("; do something");
	}

	@Test
	void conversionThatShowsAnAddressIsRefused() {
		KeyTexts texts = new KeyTexts(Object::toString, "do something");

		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> texts.keysOf(new NoText()))
			.withMessageContaining("the text of a " + NoText.class.getTypeName() + ", which differs between JVMs");
	}

	@Test
	void textOfAPartMayBeBlank() {
		assertThat(KeyTexts.PLAIN.textOf(' ')).isEqualTo(" ");
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> KeyTexts.PLAIN.keyOf(' '));
	}

	enum Chatty {

		LOUD;

		@Override
		public String toString() {
			return "not the name";
		}

	}

	record Id(@Nullable Object value) {
	}

	record WithText(String value) {

		@Override
		public String toString() {
			return "#" + this.value;
		}

	}

	record ForwardingRecord(String value) {

		@Override
		public String toString() {
			return this.value + "@" + Integer.toHexString(System.identityHashCode(this));
		}

	}

	record OrderedView(Set<String> tags) {

		@Override
		public Set<String> tags() {
			return new TreeSet<>(this.tags);
		}

	}

	/**
	 * Text without a {@code toString} of its own.
	 */
	static class Silent implements CharSequence {

		@Override
		public int length() {
			return 0;
		}

		@Override
		public char charAt(int index) {
			throw new IndexOutOfBoundsException(index);
		}

		@Override
		public CharSequence subSequence(int start, int end) {
			return this;
		}

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
