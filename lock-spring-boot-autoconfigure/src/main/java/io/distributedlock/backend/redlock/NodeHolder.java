package io.distributedlock.backend.redlock;

import java.util.Locale;

import io.distributedlock.LockMode;

/**
 * An exclusive holder of a lock, or a member of its group, as one node knows it.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @param mode how it holds the lock
 * @param value the value of the lock or the member: owner id, bar, instance; empty for a
 * group without members
 * @param restMillis the rest of its TTL in ms; negative if it never expires
 * @param last the last token of the counter or the member; zero if it is not known
 * @param count how many tokens were granted at once
 * @since 0.1.0
 */
public record NodeHolder(LockMode mode, String value, long restMillis, long last, int count) {

	/**
	 * Return the value of a lock that a group holds.
	 * @param mode the kind of the group
	 * @return the value
	 */
	public static String kind(LockMode mode) {
		return mode.name().toLowerCase(Locale.ROOT);
	}

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
