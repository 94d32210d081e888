package io.distributedlock.aop;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the durations of annotations: numbers with their units, from the largest unit to
 * the smallest ({@code 500ms}, {@code 30s}, {@code 1h30m}), or ISO 8601 ({@code PT30S}).
 * Surrounding blanks and case are ignored.
 */
final class DurationParser {

	private static final Duration LONGEST = Duration.ofDays(3650);

	private static final ChronoUnit[] UNITS = { ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES,
			ChronoUnit.SECONDS, ChronoUnit.MILLIS };

	private static final Pattern SIMPLE = Pattern
		.compile("(?:(\\d+)d)?(?:(\\d+)h)?(?:(\\d+)m(?!s))?(?:(\\d+)s)?(?:(\\d+)ms)?", Pattern.CASE_INSENSITIVE);

	private static final Pattern BARE_NUMBER = Pattern.compile("\\+?\\d+");

	private static final String FORMS = "write for example 500ms, 30s, 1h30m or PT30S";

	private DurationParser() {
	}

	/**
	 * Read a duration.
	 * @throws IllegalArgumentException with the mistake in the text
	 */
	static Duration parse(String text) {
		String trimmed = text.trim();
		Duration duration;
		try {
			duration = (trimmed.startsWith("P") || trimmed.startsWith("p")) ? parseIso(trimmed) : parseSimple(trimmed);
		}
		catch (ArithmeticException | NumberFormatException ex) {
			throw tooLong();
		}
		if (duration.isNegative()) {
			throw negative();
		}
		if (duration.compareTo(LONGEST) > 0) {
			throw tooLong();
		}
		return duration;
	}

	private static Duration parseIso(String text) {
		try {
			return Duration.parse(text);
		}
		catch (DateTimeParseException ex) {
			if (ex.getCause() instanceof ArithmeticException) {
				throw tooLong();
			}
			throw new IllegalArgumentException("is no duration; " + FORMS);
		}
	}

	private static Duration parseSimple(String text) {
		if (BARE_NUMBER.matcher(text).matches()) {
			throw new IllegalArgumentException("has no unit; write for example " + text.replace("+", "") + "s");
		}
		if (text.startsWith("-")) {
			throw negative();
		}
		Matcher matcher = SIMPLE.matcher(text);
		if (text.isEmpty() || !matcher.matches()) {
			throw new IllegalArgumentException("is no duration; " + FORMS);
		}
		Duration sum = Duration.ZERO;
		for (int i = 0; i < UNITS.length; i++) {
			String amount = matcher.group(i + 1);
			if (amount != null) {
				sum = sum.plus(Long.parseLong(amount), UNITS[i]);
			}
		}
		return sum;
	}

	private static IllegalArgumentException negative() {
		return new IllegalArgumentException("is negative");
	}

	private static IllegalArgumentException tooLong() {
		return new IllegalArgumentException("is longer than " + LONGEST.toDays() + " days");
	}

}
