package io.distributedlock.backend;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;

/**
 * A store grants no locks for a known time, because it may have forgotten leases. Calls
 * that come after that time can succeed, so this is progress and no failure for those
 * that wait for the store to become ready. Nothing was sent.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class QuarantineException extends LockUnavailableException {

	private final Duration remaining;

	/**
	 * Create an exception.
	 * @param message what to tell the caller
	 * @param remaining how long the store grants no locks
	 * @param cause the cause, or {@code null}
	 */
	public QuarantineException(String message, Duration remaining, @Nullable Throwable cause) {
		super(message, cause);
		this.remaining = remaining;
	}

	/**
	 * Return how long the store grants no locks, as far as this client knows.
	 * @return the time, counted from when this was thrown
	 */
	public Duration getRemaining() {
		return this.remaining;
	}

}
