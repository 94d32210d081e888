package io.distributedlock;

import java.time.Instant;

/**
 * Thrown if a request named a tick that was already granted, in this or another instance.
 * This is neither a busy lock nor a fault. The instance that was granted the tick may
 * have crashed before its run. If it received the answer too late, it reports a
 * {@link LockUnavailableException}.
 *
 * @since 0.1.0
 */
public class TickDoneException extends LockException {

	private final Instant tick;

	/**
	 * Create the exception.
	 * @param key the key of the request
	 * @param tick the latest tick that has run for this key
	 */
	public TickDoneException(String key, Instant tick) {
		super("'" + key + "' has run for the tick " + tick + " already");
		this.tick = tick;
	}

	/**
	 * Return the latest tick that has run for the key.
	 * @return the tick
	 */
	public Instant tick() {
		return this.tick;
	}

}
