package io.distributedlock.aop;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;
import io.distributedlock.OnBusy;
import io.distributedlock.OnLost;

/**
 * The lock of one method of one class, resolved from its annotation.
 *
 * @param scheduled whether a scheduler may call the method
 * @param emptyResult the result of a skipped call
 * @param result checks the results of other calls
 */
record LockOperation(LockKey key, LockOptions options, OnBusy onBusy, OnLost onLost, @Nullable FallbackMethod fallback,
		boolean scheduled, @Nullable Object emptyResult, LockedResult result) {

	/**
	 * Return the request of a call.
	 * @param run the run of the scheduler if it is the caller; such a call does not wait
	 * by default
	 */
	LockRequest request(@Nullable Object target, @Nullable Object[] args, @Nullable ScheduledRun run) {
		LockRequest request = this.options.applyTo(this.key.request(target, args));
		return (run != null) ? run.applyTo(request) : request;
	}

	boolean skipsWhenBusy(boolean byScheduler) {
		return this.onBusy == OnBusy.SKIP || (this.onBusy == OnBusy.DEFAULT && byScheduler && this.fallback == null);
	}

}
