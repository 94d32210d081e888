package io.distributedlock;

/**
 * The request can't be served whatever the state of the lock: a key that is null, blank,
 * too long or not valid Unicode, a duration out of range, or something that the backend
 * does not offer. The backend was not asked; the message says which part and why.
 *
 * @since 0.1.0
 */
public class InvalidLockRequestException extends LockException {

	public InvalidLockRequestException(String message) {
		super(message);
	}

	public InvalidLockRequestException(String message, Throwable cause) {
		super(message, cause);
	}

}
