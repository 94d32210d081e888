package io.distributedlock.backend.redis;

import java.time.Duration;

import io.distributedlock.backend.notification.PollDelay;

/**
 * The door that an exclusive waiter closes to new members of the group that it has met.
 *
 * @param waiter the name of the waiter
 * @param notified whether releases wake the waiter
 */
record DoorToClose(String waiter, boolean notified) {

	/**
	 * How scripts distinguish waiters that releases wake.
	 */
	private static final String NOTIFIED = "|notified";

	/**
	 * For how long a door stays closed after the next attempt of the waiter, as in the
	 * script.
	 */
	private static final Duration AFTERWARDS = Duration.ofSeconds(1);

	/**
	 * Return the entry of the waiter.
	 */
	String entry() {
		return this.notified ? this.waiter + NOTIFIED : this.waiter;
	}

	/**
	 * Return the longest time after which the waiter attempts again.
	 */
	Duration longestDelay() {
		return this.notified ? PollDelay.LONGEST_NOTIFIED : PollDelay.LONGEST_UNNOTIFIED;
	}

	/**
	 * Return when the waiter that has closed a door attempts again at the latest.
	 * @param closedMillis for how much longer the door is closed
	 */
	static Duration untilNextAttempt(long closedMillis) {
		Duration rest = Duration.ofMillis(closedMillis).minus(AFTERWARDS);
		return rest.isNegative() ? Duration.ZERO : rest;
	}

}
