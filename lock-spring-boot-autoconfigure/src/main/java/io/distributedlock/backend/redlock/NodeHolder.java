package io.distributedlock.backend.redlock;

/**
 * The holder of a lock, as one node knows it.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @param value the value of the lock: owner id, bar, instance
 * @param restMillis the rest of its TTL in ms; negative if it never expires
 * @param last the last token of the counter; zero without a counter
 * @param count how many tokens were granted at once
 * @since 0.1.0
 */
public record NodeHolder(String value, long restMillis, long last, int count) {

	/**
	 * Return the first of the tokens that were granted at once.
	 */
	long first() {
		return this.last - this.count + 1;
	}

	/**
	 * Return the instance, for diagnostics.
	 */
	String instance() {
		int bar = this.value.indexOf('|');
		return (bar >= 0) ? this.value.substring(bar + 1) : "";
	}

}
