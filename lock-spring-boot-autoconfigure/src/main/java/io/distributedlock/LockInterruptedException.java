package io.distributedlock;

/**
 * Thrown if the thread was interrupted while it waited for a lock. Its interrupt flag is
 * set again, and it holds no lease.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends LockException {

	public LockInterruptedException(String message) {
		super(message);
	}

}
