package io.distributedlock;

/**
 * Thrown if a request can't be served in any state of the lock. Either its key is null,
 * blank, too long or not valid Unicode, or a duration is out of range, or the backend
 * does not support an option. The backend was not asked. The message names the invalid
 * part and the reason.
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
