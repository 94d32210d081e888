package io.distributedlock;

/**
 * Determines what happens to a call of a {@link DistributedLock} method that loses its
 * lease while its body runs. In every case the loss is reported immediately by the
 * listeners of the lease, the {@link LeaseLostEvent} and the log.
 *
 * @since 0.1.0
 */
public enum OnLost {

	/**
	 * A {@link LeaseLostException} is thrown when the body ends. If the body itself
	 * throws an exception, that one is thrown, with the {@code LeaseLostException} as a
	 * suppressed exception.
	 */
	THROW,

	/**
	 * As {@link #THROW}, and the thread that runs the body is interrupted once, at the
	 * time of the loss. The interrupt flag never stays set beyond the call.
	 */
	INTERRUPT,

	/**
	 * The call continues as if the lease had not been lost.
	 */
	IGNORE

}
