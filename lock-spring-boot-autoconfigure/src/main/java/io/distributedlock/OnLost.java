package io.distributedlock;

/**
 * What happens to a call of a {@link DistributedLock} method that loses its lease while
 * its body runs. In every case the listeners of the lease, the {@link LeaseLostEvent} and
 * the log tell of the loss at once.
 *
 * @since 0.1.0
 */
public enum OnLost {

	/**
	 * A {@link LeaseLostException} follows the body. An exception of the body itself wins
	 * and carries ours as suppressed.
	 */
	THROW,

	/**
	 * As {@link #THROW}, and the thread that runs the body is interrupted once, at the
	 * time of the loss. The interrupt never outlives the call.
	 */
	INTERRUPT,

	/**
	 * The call goes on as if nothing had happened.
	 */
	IGNORE

}
