package io.distributedlock.aop;

import io.distributedlock.LockRequest;

/**
 * Is notified of ticks of a locked scheduled method that did not run here because the
 * lock was taken. Must not block and must not throw.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MissedTickListener {

	/**
	 * Receive a missed tick.
	 * @param request the request, with its tick
	 */
	void missed(LockRequest request);

}
