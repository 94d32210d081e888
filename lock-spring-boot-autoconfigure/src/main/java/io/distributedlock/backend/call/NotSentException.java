package io.distributedlock.backend.call;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;

/**
 * Thrown when a call to a store failed without a change there, in most cases because it
 * was not sent. Public for the stores only.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class NotSentException extends LockUnavailableException {

	/**
	 * Create the exception.
	 * @param message why the call failed
	 * @param cause the cause, or {@code null}
	 */
	public NotSentException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
