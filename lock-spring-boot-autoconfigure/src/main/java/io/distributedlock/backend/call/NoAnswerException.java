package io.distributedlock.backend.call;

import io.distributedlock.LockUnavailableException;

/**
 * A call was sent to a store and not answered in time. Public for the stores only.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class NoAnswerException extends LockUnavailableException {

	/**
	 * Create the exception.
	 * @param message which store, and how long it had
	 */
	public NoAnswerException(String message) {
		super(message);
	}

}
