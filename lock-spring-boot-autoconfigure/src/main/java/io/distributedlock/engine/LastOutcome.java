package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;

/**
 * The latest reason why a key is not available: an answer of the store, or a lease of
 * this JVM that was in the way.
 * <p>
 * It counts for a waiter only if it is from the time of that wait. A wait never ends busy
 * by earlier knowledge, because the store may have become unavailable in the meantime.
 *
 * @param fault why the store could not be asked, if that was the last outcome
 * @param retryAfter the remaining time of the holder's lease, if known
 * @param at when it was known, as a value of the monotonic clock
 */
record LastOutcome(@Nullable Throwable fault, @Nullable Duration retryAfter, long at) {

	static LastOutcome busy(@Nullable Duration retryAfter, long at) {
		return new LastOutcome(null, retryAfter, at);
	}

	static LastOutcome fault(Throwable fault, long at) {
		return new LastOutcome(fault, null, at);
	}

	boolean isFault() {
		return this.fault != null;
	}

	boolean countsFor(Waiter waiter) {
		return this.at - waiter.since() >= 0;
	}

	/**
	 * Return the exception of an acquisition that ends with this outcome.
	 */
	LockException exception(ResolvedRequest request, BackendLabel backend) {
		if (this.fault == null) {
			// Frequent, and not a fault of the store, so its address is not looked up.
			return new LockBusyException(request.key(),
					failed(request, "'" + backend.name() + "'") + ": another holder has it", this.retryAfter);
		}
		String failed = failed(request, backend.withAddress());
		if (this.fault instanceof LockRefusedException) {
			return new LockRefusedException(failed + ", which refuses it: " + this.fault.getMessage(), this.fault);
		}
		return new LockUnavailableException(failed + ", which could not be asked: " + this.fault.getMessage(),
				this.fault);
	}

	/**
	 * Return the exception of an acquisition that ends without any evidence.
	 */
	static LockException none(ResolvedRequest request, BackendLabel backend) {
		return new LockUnavailableException(failed(request, backend.withAddress()) + ": no answer in time");
	}

	private static String failed(ResolvedRequest request, String backend) {
		return "The lock on '" + request.key() + "' could not be acquired from the backend " + backend + " "
				+ (request.isOneAttempt() ? "in one attempt"
						: "within the wait time of " + request.waitTime().toMillis() + " ms");
	}

}
