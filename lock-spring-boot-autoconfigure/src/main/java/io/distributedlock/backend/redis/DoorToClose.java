package io.distributedlock.backend.redis;

import java.time.Duration;

/**
 * The door that an exclusive waiter closes to new members of the group that it has met.
 *
 * @param waiter the name of the waiter
 * @param longestDelay the longest time after which the waiter attempts again
 */
record DoorToClose(String waiter, Duration longestDelay) {

	/**
	 * For how long a door stays closed after the next attempt of the waiter, as in the
	 * script.
	 */
	private static final Duration AFTERWARDS = Duration.ofSeconds(1);

	/**
	 * Return when the waiter that has closed a door attempts again at the latest.
	 * @param closedMillis for how much longer the door is closed
	 */
	static Duration untilNextAttempt(long closedMillis) {
		Duration rest = Duration.ofMillis(closedMillis).minus(AFTERWARDS);
		return rest.isNegative() ? Duration.ZERO : rest;
	}

}
