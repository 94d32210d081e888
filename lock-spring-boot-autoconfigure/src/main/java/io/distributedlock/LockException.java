package io.distributedlock;

/**
 * Root of all exceptions that tell the outcome of a lock operation. Their messages show
 * keys as {@link LockKeys#printable} does, so that a key can't forge lines of a log.
 *
 * @since 0.1.0
 */
public abstract class LockException extends RuntimeException {

	protected LockException(String message) {
		super(LockKeys.printable(message));
	}

	protected LockException(String message, Throwable cause) {
		super(LockKeys.printable(message), cause);
	}

}
