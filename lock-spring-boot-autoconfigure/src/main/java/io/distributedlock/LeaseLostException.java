package io.distributedlock;

/**
 * Thrown if a lease was lost before its holder released it. Since the loss another holder
 * may have been at work, so the effects of the body may have to be undone. Only a
 * resource that compares fencing tokens can detect conflicting writes.
 *
 * @since 0.1.0
 */
public class LeaseLostException extends LockException {

	private final String key;

	private final LossReason reason;

	/**
	 * Create the exception.
	 * @param key the key of the lost lease
	 * @param reason why it was lost
	 * @param message what happened, with the key and the durations
	 */
	public LeaseLostException(String key, LossReason reason, String message) {
		super(message);
		this.key = key;
		this.reason = reason;
	}

	/**
	 * Return the key of the lost lease.
	 * @return the key, the first one of several
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return why the lease was lost.
	 * @return the reason
	 */
	public LossReason reason() {
		return this.reason;
	}

}
