package io.distributedlock.engine;

import java.time.Duration;

/**
 * How far a lease may be passed on inside this JVM before it goes back to the store, so
 * that other JVMs get their turn.
 *
 * @param maxCount how many times one grant of the store is passed on at most; zero passes
 * nothing on
 * @param maxDuration for how long after the grant it is passed on
 * @since 0.1.0
 */
public record HandOverSettings(int maxCount, Duration maxDuration) {

	/**
	 * 1,023 times, for 100 ms.
	 */
	public static final HandOverSettings DEFAULTS = new HandOverSettings(1023, Duration.ofMillis(100));

	/**
	 * Every lease comes from the store.
	 */
	public static final HandOverSettings NONE = new HandOverSettings(0, Duration.ZERO);

}
