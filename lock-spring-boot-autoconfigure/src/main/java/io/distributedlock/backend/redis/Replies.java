package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reads what scripts return: numbers are {@link Long}s, text is bytes.
 *
 * @since 0.1.0
 */
public final class Replies {

	private Replies() {
	}

	/**
	 * Read a number.
	 * @param value a part of an answer
	 * @return the number
	 */
	public static long number(@Nullable Object value) {
		return (value instanceof Long number) ? number : Long.parseLong(text(value));
	}

	/**
	 * Read text.
	 * @param value a part of an answer
	 * @return the text
	 */
	public static String text(@Nullable Object value) {
		if (value instanceof byte[] bytes) {
			return new String(bytes, StandardCharsets.UTF_8);
		}
		return String.valueOf(value);
	}

	/**
	 * Read a list.
	 * @param value a part of an answer
	 * @return the list; empty where it is none
	 */
	public static List<?> list(@Nullable Object value) {
		return (value instanceof List<?> list) ? list : List.of();
	}

}
