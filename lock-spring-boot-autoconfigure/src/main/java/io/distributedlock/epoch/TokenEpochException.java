package io.distributedlock.epoch;

import io.distributedlock.LockRefusedException;

/**
 * A store is at a greater token epoch than this instance, which gets no more locks there
 * until it is restarted with that epoch or a greater one. Nothing was executed.
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
	 * Return the epoch that the store is at, or is being raised to.
	 * @return the epoch, greater than that of this instance
	 */
	public int storeEpoch() {
		return this.storeEpoch;
	}

}
