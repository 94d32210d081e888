package io.distributedlock;

/**
 * Root of all exceptions that report the outcome of a lock operation. Messages show keys
 * as {@link LockKeys#printable} does, so a key can't forge log lines.
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
