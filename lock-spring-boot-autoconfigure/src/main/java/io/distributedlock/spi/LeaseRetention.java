package io.distributedlock.spi;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

/**
 * Keeps a lease beyond the end of its body where something larger is still under way, as
 * a transaction is.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LeaseRetention {

	/**
	 * Keeps nothing.
	 */
	LeaseRetention NONE = (lease, release) -> false;

	/**
	 * Take note that a lock is about to be asked for by this thread, which holds none on
	 * its key, and a scope to be opened.
	 * @param request what is asked for
	 * @throws RuntimeException to refuse it
	 */
	default void opening(LockRequest request) {
	}

	/**
	 * Keep a lease if there is reason to.
	 * @param lease the lease whose body has ended on this thread
	 * @param release to be run once, on this thread, when the lease is no longer needed
	 * @return whether the lease is kept
	 */
	boolean keep(Lease lease, Runnable release);

	/**
	 * Keep a lease whose loss does not matter to its body: as
	 * {@link #keep(Lease, Runnable)}, but what is under way ends well even if the lease
	 * is lost until then.
	 * @param lease the lease whose body has ended on this thread
	 * @param release to be run once, on this thread, when the lease is no longer needed
	 * @return whether the lease is kept
	 */
	default boolean keepIgnoringLoss(Lease lease, Runnable release) {
		return keep(lease, release);
	}

}
