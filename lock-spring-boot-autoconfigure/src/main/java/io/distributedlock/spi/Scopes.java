package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockRequest;

/**
 * Opens scopes, in which nested calls of a thread re-enter its lease. For front ends that
 * wrap a body, such as an interceptor.
 * <p>
 * A scope belongs to the thread that opened it and is closed there. Nested calls on that
 * thread for the same keys and backend, or for some of them, re-enter: they need no round
 * trip and have the same tokens. They need the same mode. The outermost exit releases the
 * lease and honours the largest minimum hold.
 *
 * @since 0.1.0
 */
public interface Scopes {

	/**
	 * Open a scope: re-enter the one of this thread that is open for the key, or acquire.
	 * Throws what {@link io.distributedlock.LockTemplate#acquire(LockRequest)} throws.
	 * @param request what to lock, and how
	 * @return the scope
	 * @throws LeaseLostException if the scope to re-enter has lost its lease
	 */
	Scope open(LockRequest request);

	/**
	 * Open a scope if the lock can be acquired. Throws what
	 * {@link io.distributedlock.LockTemplate#tryAcquire(LockRequest)} throws.
	 * @param request what to lock, and how
	 * @return the scope; empty if the lock was busy or the request's tick has run
	 * @throws LeaseLostException if the scope to re-enter has lost its lease
	 */
	Optional<Scope> tryOpen(LockRequest request);

	/**
	 * Return the name of the backend of a request. A front end uses it to take several
	 * locks in the same order, no matter how their requests are written.
	 * @param request a request, not yet seen by customizers
	 * @return the name in the request, or that of the default backend
	 */
	String backendOf(LockRequest request);

	/**
	 * Return the leases of this thread's open scopes whose loss at least one of their
	 * bodies does not tolerate.
	 * @return the leases, held or lost
	 */
	List<Lease> leasesThatMatter();

	/**
	 * Return whether scopes are refused because the application is stopping, so that a
	 * front end can distinguish this from a fault of the store.
	 * @return whether the application is stopping
	 */
	default boolean areStopped() {
		return false;
	}

	/**
	 * An open scope.
	 */
	interface Scope {

		/**
		 * Return the lease of the scope.
		 * @return the lease; if this scope re-entered, that of the outermost scope
		 */
		Lease lease();

		/**
		 * Keep the lock unavailable to every client for a time after the release of the
		 * lease, whatever causes the release. The longest requested time counts, or the
		 * rest of the minimum hold if that is longer.
		 * @param cooldown the time
		 */
		void cooldown(Duration cooldown);

		/**
		 * Leave the scope, on the thread that opened it. The outermost exit releases the
		 * lease. Inside a running transaction the lease is kept, and the scope stays open
		 * for nested calls, until the transaction has completed. A fault of the store
		 * never leads to an exception.
		 * @return the exception to report if the lease had been lost; empty if it was
		 * held until now
		 */
		Optional<LeaseLostException> close();

		/**
		 * Make the lease the current observation of this thread, while the body runs. A
		 * re-entry belongs to the observation of the outermost scope.
		 * @return to be closed on this thread when the body has ended, before
		 * {@link #close()}
		 */
		default LockObserver.BodyScope openBody() {
			return LockObserver.BodyScope.NONE;
		}

		/**
		 * Declare, before the body runs, that it tolerates the loss of its lease.
		 * Transactions then commit even after a loss, unless an enclosing scope with the
		 * same lease does not tolerate it.
		 */
		default void ignoreLoss() {
		}

	}

}
