package io.distributedlock.epoch;

import java.time.Duration;

import io.distributedlock.spi.QuarantineException;

/**
 * The result of checking a store's token epoch.
 */
sealed interface EpochVerdict {

	/**
	 * The store is at the epoch of this instance.
	 */
	record Confirmed() implements EpochVerdict {
	}

	/**
	 * The store is at a greater epoch, or is being raised to one.
	 *
	 * @param mark the mark of the store
	 */
	record Refused(EpochMark mark) implements EpochVerdict {

		TokenEpochException failure(String store, TokenEpoch own) {
			int epoch = this.mark.epoch();
			return new TokenEpochException("'lock.token-epoch' is " + own.value() + " here, but the store '" + store
					+ "' " + (this.mark.isInForce() ? "is at" : "is being raised to") + " token epoch " + epoch
					+ "; instances with an earlier epoch get no locks there", epoch);
		}

	}

	/**
	 * The store is being raised to the epoch of this instance.
	 *
	 * @param until the monotonic time from which it can be in force
	 * @param announced the announcement from which the time is counted
	 */
	record Raising(long until, EpochMark announced) implements EpochVerdict {

		QuarantineException failure(String store, TokenEpoch own, long now) {
			return new QuarantineException("The store '" + store + "' is being raised to token epoch " + own.value()
					+ " ('lock.token-epoch'); until instances with an earlier epoch have noticed, it grants no locks",
					Duration.ofNanos(Math.max(0, this.until - now)));
		}

	}

	/**
	 * The store did not report its epoch.
	 *
	 * @param cause the reason
	 */
	record Unknown(Throwable cause) implements EpochVerdict {
	}

}
