package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reads what scripts return: numbers are {@link Long}s, text is bytes.
 */
final class Replies {

	private Replies() {
	}

	static long number(@Nullable Object value) {
		return (value instanceof Long number) ? number : Long.parseLong(text(value));
	}

	static String text(@Nullable Object value) {
		if (value instanceof byte[] bytes) {
			return new String(bytes, StandardCharsets.UTF_8);
		}
		return String.valueOf(value);
	}

	static List<?> list(@Nullable Object value) {
		return (value instanceof List<?> list) ? list : List.of();
	}

}
