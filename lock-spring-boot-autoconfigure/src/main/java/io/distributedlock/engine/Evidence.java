package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;

/**
 * What is known of why a key can't be had: the last word of the store, or of the queue
 * where a lease of this JVM is in the way. A store that did not answer, or not at last,
 * is never called busy.
 *
 * @param fault why the store could not be asked, if that was the last outcome
 * @param busy whether somebody is known to hold the lock
 * @param retryAfter what was left of the holder's lease, if known
 */
record Evidence(@Nullable Throwable fault, boolean busy, @Nullable Duration retryAfter) {

	static final Evidence NONE = new Evidence(null, false, null);

	static Evidence busy(@Nullable Duration retryAfter) {
		return new Evidence(null, true, retryAfter);
	}

	static Evidence fault(Throwable fault) {
		return new Evidence(fault, false, null);
	}

	boolean isKnown() {
		return this.busy || this.fault != null;
	}

	LockException exception(Acquisition acquisition, String backend) {
		String key = acquisition.key();
		String failed = "The lock on '" + key + "' could not be acquired from the backend '" + backend + "' "
				+ (acquisition.isOneAttempt() ? "in one attempt"
						: "within the wait time of " + acquisition.waitTime().toMillis() + " ms");
		if (this.fault != null) {
			return new LockUnavailableException(failed + ", which could not be asked: " + this.fault.getMessage(),
					this.fault);
		}
		if (this.busy) {
			return new LockBusyException(key, failed + ": somebody else holds it", this.retryAfter);
		}
		return new LockUnavailableException(failed + ": no answer in time");
	}

}
