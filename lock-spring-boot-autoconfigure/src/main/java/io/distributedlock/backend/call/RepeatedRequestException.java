package io.distributedlock.backend.call;

import io.distributedlock.LockUnavailableException;

/**
 * Thrown when a request was repeated and found nothing to change. The first request may
 * have made the change, so the outcome is unknown. Public for the stores only.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class RepeatedRequestException extends LockUnavailableException {

	/**
	 * Create the exception.
	 * @param store the store, as in "the Redis of the locks"
	 * @param done what the request does to the lock, as in "released"
	 * @param key the key of the lock
	 */
	public RepeatedRequestException(String store, String done, String key) {
		super("It is not known whether the lock on '" + key + "' was " + done + ": the request to " + store
				+ " was repeated and found nothing, and the first one may have done it");
	}

}
