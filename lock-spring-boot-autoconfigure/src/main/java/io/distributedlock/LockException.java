package io.distributedlock;

/**
 * Root of all exceptions that tell the outcome of a lock operation.
 *
 * @since 0.1.0
 */
public abstract class LockException extends RuntimeException {

	protected LockException(String message) {
		super(message);
	}

	protected LockException(String message, Throwable cause) {
		super(message, cause);
	}

}
