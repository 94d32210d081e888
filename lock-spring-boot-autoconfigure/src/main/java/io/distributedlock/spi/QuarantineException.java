package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.LockUnavailableException;

/**
 * A store answers, but grants nothing for a while: it may have forgotten leases that are
 * still held. Nothing was executed.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class QuarantineException extends LockUnavailableException {

	private final Duration remaining;

	/**
	 * Create the exception.
	 * @param message what the store may have forgotten
	 * @param remaining how long the quarantine still takes at least
	 */
	public QuarantineException(String message, Duration remaining) {
		super(message);
		this.remaining = remaining;
	}

	/**
	 * Return how long the quarantine still takes.
	 * @return the time; it may take longer if servers fail meanwhile
	 */
	public Duration remaining() {
		return this.remaining;
	}

}
