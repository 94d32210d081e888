package io.distributedlock.backend.call;

import io.distributedlock.LockUnavailableException;

/**
 * Thrown when a call was sent to a store and not answered in time. Public for the stores
 * only.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class NoAnswerException extends LockUnavailableException {

	/**
	 * Create the exception.
	 * @param message names the store and its timeout
	 */
	public NoAnswerException(String message) {
		super(message);
	}

}
