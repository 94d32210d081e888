package io.distributedlock.backend.redis.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;

/**
 * Reads what scripts return: numbers are {@link Long}s, text is bytes.
 *
 * @since 0.1.0
 */
public final class ScriptReplies {

	private ScriptReplies() {
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
	 * Bound a time that a server reports.
	 * @param millis the time
	 * @return the time, but at least zero and at most {@link LockRequest#MAX_HOLD_TIME}
	 */
	public static Duration duration(long millis) {
		return Duration.ofMillis(Math.max(0, Math.min(millis, LockRequest.MAX_HOLD_TIME.toMillis())));
	}

	/**
	 * Read text.
	 * @param value a part of an answer
	 * @return the text
	 */
	public static String text(@Nullable Object value) {
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(value);
	}

	/**
	 * Read a list.
	 * @param value a part of an answer
	 * @return the list; empty if the value is not a list
	 */
	public static List<?> list(@Nullable Object value) {
		return (value instanceof List<?> list) ? list : List.of();
	}

}
