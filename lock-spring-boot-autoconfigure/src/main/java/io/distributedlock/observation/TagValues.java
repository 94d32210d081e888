package io.distributedlock.observation;

import java.util.Locale;

/**
 * Writes constants of enums as values of tags. Health and endpoint show them in the same
 * way.
 *
 * @since 0.1.0
 */
public final class TagValues {

	private TagValues() {
	}

	/**
	 * Write a constant in lower case with hyphens, such as {@code max-hold}.
	 * @param constant the constant
	 * @return the value of the tag
	 */
	public static String of(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
