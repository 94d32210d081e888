package io.distributedlock;

/**
 * Why a lease was lost.
 *
 * @since 0.1.0
 */
public enum LossReason {

	/**
	 * Its validity ended before the backend had confirmed a renewal (or it was not to be
	 * renewed).
	 */
	EXPIRED,

	/**
	 * The backend answered that somebody else owns the lock, or nobody: it was taken
	 * away, deleted or had run out.
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
