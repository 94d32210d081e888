package io.distributedlock.epoch;

import io.distributedlock.LockRefusedException;

/**
 * Thrown if a store is at a greater token epoch than this instance, or is being raised to
 * one. The instance gets no more locks there until it is restarted with that epoch or a
 * greater one. The request has no effect: a lock that was granted meanwhile is given
 * back.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class TokenEpochException extends LockRefusedException {

	private final int storeEpoch;

	TokenEpochException(String message, int storeEpoch) {
		super(message, null);
		this.storeEpoch = storeEpoch;
	}

	/**
	 * Return the epoch of the store, or the one to which it is being raised.
	 * @return the epoch, greater than that of this instance
	 */
	public int storeEpoch() {
		return this.storeEpoch;
	}

}
