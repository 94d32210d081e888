package io.distributedlock.engine;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.QuarantineException;

/**
 * Distinguishes the answers of a store from the lack of one.
 */
final class StoreAnswers {

	private StoreAnswers() {
	}

	/**
	 * Return whether a failed call was answered: the store refuses it, does not grant
	 * leases for a while, or can't serve this request.
	 */
	static boolean isAnswer(Throwable failure) {
		return failure instanceof LockRefusedException || failure instanceof QuarantineException
				|| failure instanceof InvalidLockRequestException;
	}

}
