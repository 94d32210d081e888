package io.distributedlock.sample.page;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What happened to a lock on this instance.
 *
 * @param at when, by the clock of this machine
 * @param key the key
 * @param kind the kind, which decides how the event is shown
 * @param text what to read
 * @param token the fencing token, if the event has one; text, because it may exceed what
 * JavaScript can count
 */
record LockEvent(Instant at, String key, Kind kind, String text, @Nullable String token) {

	/**
	 * The kinds of events.
	 */
	enum Kind {

		ACQUIRED, RELEASED, BUSY, SKIPPED, LOST, NOTIFIED, REFUSED, UNAVAILABLE, FORCED

	}

}
