package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;

/**
 * What the store said last of why a key can't be had, or a lease of this JVM that was in
 * the way.
 * <p>
 * It counts for a waiter only if it was had during this very wait: "busy" never rests on
 * what was known before, since the store may have gone away in the meantime.
 *
 * @param fault why the store could not be asked, if that was the last outcome
 * @param retryAfter what was left of the holder's lease, if known
 * @param at when it was had, as a value of the monotonic clock
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
	 * Return how an acquisition ends for which there is nothing else but this.
	 */
	LockException exception(ResolvedRequest request, BackendLabel backend) {
		if (this.fault == null) {
			// Frequent, and no fault of the store, so that its address is not looked for.
			return new LockBusyException(request.key(),
					failed(request, "'" + backend.name() + "'") + ": somebody else holds it", this.retryAfter);
		}
		String failed = failed(request, backend.withAddress());
		if (this.fault instanceof LockRefusedException) {
			return new LockRefusedException(failed + ", which refuses it: " + this.fault.getMessage(), this.fault);
		}
		return new LockUnavailableException(failed + ", which could not be asked: " + this.fault.getMessage(),
				this.fault);
	}

	/**
	 * Return how an acquisition ends without any evidence.
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
