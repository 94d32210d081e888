package io.distributedlock.backend.redis;

import java.time.Duration;

import io.distributedlock.spi.LockClock;

/**
 * Whether a server grants locks.
 */
sealed interface ServerState {

	/**
	 * Return the state as the server keeps it, which scripts are to find.
	 */
	String literal();

	/**
	 * The server grants locks.
	 *
	 * @param literal its state
	 */
	record Granting(String literal) implements ServerState {

	}

	/**
	 * The server grants no locks yet.
	 *
	 * @param literal its state
	 * @param endsAt when this client may end the quarantine, on the monotonic clock
	 */
	record Quarantined(String literal, long endsAt) implements ServerState {

		Duration rest(LockClock clock) {
			return Duration.ofNanos(Math.max(0, this.endsAt - clock.nanoTime()));
		}

	}

}
