package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.LockUnavailableException;

/**
 * Thrown if a store answers but does not grant leases for a while, because it may have
 * forgotten leases that are still held. The request was not executed.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class QuarantineException extends LockUnavailableException {

	private final Duration remaining;

	/**
	 * Create the exception.
	 * @param message what the store may have forgotten
	 * @param remaining the minimum remaining time of the quarantine
	 */
	public QuarantineException(String message, Duration remaining) {
		super(message);
		this.remaining = remaining;
	}

	/**
	 * Return the remaining time of the quarantine.
	 * @return the time; it may take longer if servers fail meanwhile
	 */
	public Duration remaining() {
		return this.remaining;
	}

}
