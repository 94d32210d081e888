package io.distributedlock.aop;

import io.distributedlock.LockRequest;

/**
 * Is told by the lock around a scheduled method of ticks that did not run here, because
 * the lock was taken. Does not block and does not throw.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MissedTickListener {

	/**
	 * Take note of a missed tick.
	 * @param request the request, with its tick
	 */
	void missed(LockRequest request);

}
