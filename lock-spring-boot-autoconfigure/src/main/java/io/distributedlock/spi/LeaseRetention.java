package io.distributedlock.spi;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

/**
 * Keeps a lease beyond the end of its body while an enclosing unit of work, such as a
 * transaction, is still under way.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LeaseRetention {

	/**
	 * Keeps no leases.
	 */
	LeaseRetention NONE = (lease, release) -> false;

	/**
	 * Called before this thread requests a lock to open a scope, if it does not hold a
	 * lock on the key yet.
	 * @param request the request
	 * @throws RuntimeException to refuse it
	 */
	default void opening(LockRequest request) {
	}

	/**
	 * Keep a lease if its release has to wait.
	 * @param lease the lease whose body has ended on this thread
	 * @param release to be run once, on this thread, when the lease is no longer needed
	 * @return whether the lease is kept
	 */
	boolean keep(Lease lease, Runnable release);

	/**
	 * As {@link #keep(Lease, Runnable)}, for a lease whose body tolerates its loss: the
	 * unit of work completes successfully even if the lease is lost before.
	 * @param lease the lease whose body has ended on this thread
	 * @param release to be run once, on this thread, when the lease is no longer needed
	 * @return whether the lease is kept
	 */
	default boolean keepIgnoringLoss(Lease lease, Runnable release) {
		return keep(lease, release);
	}

}
