package io.distributedlock;

import java.time.Instant;

/**
 * The request named a tick that has run already, in this or another instance. Neither
 * busy nor a fault. Another instance may have been granted it and have crashed, or got
 * the answer too late; that one reports it as {@link LockUnavailableException}.
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
