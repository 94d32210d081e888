package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringValueResolver;

/**
 * Reads the attributes of one annotation, after placeholders have been resolved.
 */
final class AttributeReader {

	private final StringValueResolver placeholders;

	private final Method method;

	private final Class<?> targetClass;

	AttributeReader(StringValueResolver placeholders, Method method, Class<?> targetClass) {
		this.placeholders = placeholders;
		this.method = method;
		this.targetClass = targetClass;
	}

	/**
	 * Read a text.
	 * @return the text, or {@code null} if the attribute was not written
	 */
	@Nullable String text(String attribute, String written) {
		if (written.isEmpty()) {
			return null;
		}
		String resolved = resolve(attribute, written);
		if (resolved == null || resolved.isBlank()) {
			throw invalid(attribute,
					quoted(written, resolved) + " is blank; omit the attribute or give the placeholder a value");
		}
		if (resolved.contains("${")) {
			throw invalid(attribute, quoted(written, resolved) + " has a placeholder that nothing defines;"
					+ " set the property or write a default as in ${name:default}");
		}
		return resolved;
	}

	private @Nullable String resolve(String attribute, String written) {
		try {
			return this.placeholders.resolveStringValue(written);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(attribute, "'" + written + "' can't be resolved (" + ex.getMessage()
					+ "); set the property or write a default as in ${name:default}");
		}
	}

	/**
	 * Read a duration.
	 * @return the duration, or {@code null} if the attribute was not written
	 */
	@Nullable Duration duration(String attribute, String written, Duration least) {
		String text = text(attribute, written);
		if (text == null) {
			return null;
		}
		Duration duration;
		try {
			duration = DurationParser.parse(text);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(attribute, quoted(written, text) + " " + ex.getMessage());
		}
		if (duration.compareTo(least) < 0) {
			throw invalid(attribute, quoted(written, text) + " is less than " + least.toMillis() + "ms");
		}
		return duration;
	}

	/**
	 * Read a whole number of at least one.
	 * @return the number, or {@code null} if the attribute was not written
	 */
	@Nullable Integer count(String attribute, String written) {
		String text = text(attribute, written);
		if (text == null) {
			return null;
		}
		try {
			int count = Integer.parseInt(text.strip());
			if (count >= 1) {
				return count;
			}
		}
		catch (NumberFormatException ex) {
			// As for a number that is too small.
		}
		throw invalid(attribute, quoted(written, text) + " is not a whole number between 1 and " + Integer.MAX_VALUE);
	}

	InvalidLockDeclarationException invalid(@Nullable String attribute, @Nullable String problem) {
		return new InvalidLockDeclarationException(this.method, this.targetClass, attribute, String.valueOf(problem));
	}

	private static String quoted(String written, @Nullable String resolved) {
		return written.equals(resolved) ? "'" + written + "'" : "'" + written + "', which is '" + resolved + "',";
	}

}
