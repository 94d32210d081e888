package io.distributedlock.spi;

import java.time.Duration;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;

/**
 * Receives the events of locks, for example for metrics, application events and the
 * endpoint.
 * <p>
 * Each listener is called on a thread that the lock engine does not need. It receives one
 * event at a time, in their order, shortly after they happened. Exceptions of a listener
 * are logged. A listener that blocks delays only itself. Once 10,000 events wait for it,
 * it misses further events, which is logged too.
 *
 * @since 0.1.0
 */
public interface LockListener {

	/**
	 * A request was made. It ends with exactly one of {@code acquired},
	 * {@code handedOver}, {@code busy} and {@code unavailable}.
	 * @param backend the name of the backend
	 * @param request the request
	 */
	default void waiting(String backend, LockRequest request) {
	}

	/**
	 * A lease was acquired from the store. Reported before its release.
	 * @param backend the name of the backend
	 * @param request the request
	 * @param lease the lease
	 * @param waited the time since the request was made
	 */
	default void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
	}

	/**
	 * A request ended because another holder had the lock.
	 * @param backend the name of the backend
	 * @param request the request
	 * @param waited the time since the request was made
	 */
	default void busy(String backend, LockRequest request, Duration waited) {
	}

	/**
	 * A request ended without a lease for any other reason: a fault of the store, an
	 * interrupt, a cancellation, a tick that has run.
	 * @param backend the name of the backend
	 * @param request the request
	 * @param cause the reason
	 * @param waited the time since the request was made
	 */
	default void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
	}

	/**
	 * A lease was handed over inside this JVM. Reported before its release.
	 * @param backend the name of the backend
	 * @param request the request of the next holder
	 * @param lease the lease of the next holder
	 * @param waited the time since that request was made
	 */
	default void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
	}

	/**
	 * A lease was renewed.
	 * @param backend the name of the backend
	 * @param request the request of the holder
	 * @param lease the lease
	 */
	default void renewed(String backend, LockRequest request, Lease lease) {
	}

	/**
	 * A lease was released by its holder.
	 * @param backend the name of the backend
	 * @param request the request of the holder
	 * @param lease the lease
	 * @param heldFor the time since the acquisition
	 */
	default void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
	}

	/**
	 * A lease was lost.
	 * @param backend the name of the backend
	 * @param request the request of the holder
	 * @param lease the lease
	 * @param reason why
	 * @param heldFor the time since the acquisition
	 */
	default void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
	}

}
