package io.distributedlock;

/**
 * Thrown if a configured limit on held leases or waiters was reached. The backend was not
 * asked.
 *
 * @since 0.1.0
 */
public class LockLimitException extends LockException {

	public LockLimitException(String message) {
		super(message);
	}

}
