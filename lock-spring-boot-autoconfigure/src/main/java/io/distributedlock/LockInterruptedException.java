package io.distributedlock;

/**
 * The thread was interrupted while it waited for a lock. Its interrupt flag is set again;
 * nothing is held.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends LockException {

	public LockInterruptedException(String message) {
		super(message);
	}

}
