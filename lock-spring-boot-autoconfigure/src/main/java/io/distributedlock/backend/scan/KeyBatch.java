package io.distributedlock.backend.scan;

import java.util.List;

import io.distributedlock.LockKeys;

/**
 * Keys that a server has returned for one step of a walk.
 *
 * @param cursor where the next step begins, {@link #END} after the last one
 * @param keys the keys; a walk may return one several times
 * @since 0.1.0
 */
public record KeyBatch(String cursor, List<String> keys) {

	/**
	 * The cursor of the first step. The last step returns it, too.
	 */
	public static final String END = "0";

	/**
	 * Create a batch.
	 */
	public KeyBatch {
		keys = List.copyOf(keys);
	}

	@Override
	public String toString() {
		return "KeyBatch[cursor=" + this.cursor + ", keys=" + LockKeys.printable(this.keys.toString()) + "]";
	}

}
