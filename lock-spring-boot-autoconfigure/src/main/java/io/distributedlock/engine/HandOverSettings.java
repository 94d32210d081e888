package io.distributedlock.engine;

import java.time.Duration;

/**
 * The bounds of handing a lease over inside this JVM before it goes back to the store, so
 * that other JVMs get their turn.
 *
 * @param maxCount the greatest number of hand-overs of one grant of the store; zero
 * disables hand-over
 * @param maxDuration for how long after the grant it is handed over
 * @since 0.1.0
 */
public record HandOverSettings(int maxCount, Duration maxDuration) {

	/**
	 * At most 1,023 hand-overs, within 100 ms.
	 */
	public static final HandOverSettings DEFAULTS = new HandOverSettings(1023, Duration.ofMillis(100));

	/**
	 * No hand-over: every lease comes from the store.
	 */
	public static final HandOverSettings NONE = new HandOverSettings(0, Duration.ZERO);

}
