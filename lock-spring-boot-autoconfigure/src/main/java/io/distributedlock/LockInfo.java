package io.distributedlock;

import java.time.Duration;

/**
 * Describes a lock as the backend knew it when it was asked. The state may have changed
 * by the time this is read.
 *
 * @param key the key as the application wrote it
 * @param instance the {@code lock.instance-id} of the JVM that holds it
 * @param mode how it is held
 * @param fencingToken the greatest fencing token that its holder may use
 * @param heldFor the time since the backend granted it
 * @param remaining the time until it expires at the backend unless it is renewed
 * @since 0.1.0
 */
public record LockInfo(String key, String instance, LockMode mode, long fencingToken, Duration heldFor,
		Duration remaining) {

	/**
	 * Create the information. Reported times are limited to the range from zero to
	 * {@link LockRequest#MAX_HOLD_TIME}.
	 */
	public LockInfo {
		heldFor = bounded(heldFor);
		remaining = bounded(remaining);
	}

	private static Duration bounded(Duration time) {
		if (time.isNegative()) {
			return Duration.ZERO;
		}
		return (time.compareTo(LockRequest.MAX_HOLD_TIME) > 0) ? LockRequest.MAX_HOLD_TIME : time;
	}

	/**
	 * Return all components, with keys as {@link LockKeys#printable} shows them.
	 */
	@Override
	public String toString() {
		return LockKeys.printable(
				"LockInfo[key=" + this.key + ", instance=" + this.instance + ", mode=" + this.mode + ", fencingToken="
						+ this.fencingToken + ", heldFor=" + this.heldFor + ", remaining=" + this.remaining + "]");
	}

}
