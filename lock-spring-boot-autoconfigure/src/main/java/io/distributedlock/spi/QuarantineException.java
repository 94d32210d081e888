package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.LockUnavailableException;

/**
 * A store answers, but grants nothing for a while: it may have forgotten leases that are
 * still held. Nothing was executed.
 *
 * @since 0.1.0
 */
public class QuarantineException extends LockUnavailableException {

	private final Duration remaining;

	/**
	 * Create the exception.
	 * @param message what the store may have forgotten and how long that matters
	 * @param remaining when the store grants leases again, as far as it is known
	 */
	public QuarantineException(String message, Duration remaining) {
		super(message);
		this.remaining = remaining;
	}

	/**
	 * Return when the store grants leases again, as far as it is known.
	 * @return the time from the answer on
	 */
	public Duration remaining() {
		return this.remaining;
	}

}
