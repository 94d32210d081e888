package io.distributedlock;

/**
 * Why a lease was lost.
 *
 * @since 0.1.0
 */
public enum LossReason {

	/**
	 * Its validity ended before the backend had confirmed a renewal, or renewal was
	 * switched off.
	 */
	EXPIRED,

	/**
	 * The backend answered that the lock has another owner or no owner: it was taken
	 * away, deleted or had expired.
	 */
	TAKEN,

	/**
	 * The maximum hold was reached.
	 */
	MAX_HOLD,

	/**
	 * The application's locks were stopped while the lease was still held.
	 */
	STOPPED

}
