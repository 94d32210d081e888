package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockRequest;

/**
 * Opens scopes: the stretches of a thread's work inside which a lease is re-entered. For
 * front ends that wrap a body, such as an interceptor.
 * <p>
 * A scope belongs to the thread that opened it and is closed there. Calls nested inside
 * it, on that thread, for the same key and backend, re-enter: no round trip, the same
 * token, and one release at the outermost exit, which honours the largest minimum hold.
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
	 * Open a scope if the lock can be had. Throws what
	 * {@link io.distributedlock.LockTemplate#tryAcquire(LockRequest)} throws.
	 * @param request what to lock, and how
	 * @return the scope; empty if the lock was busy or the request's tick has run
	 * @throws LeaseLostException if the scope to re-enter has lost its lease
	 */
	Optional<Scope> tryOpen(LockRequest request);

	/**
	 * Return the name of the backend that a request goes to, so that a front end can take
	 * several locks in one order however their requests are written.
	 * @param request a request, not yet seen by customizers
	 * @return the name that it gives, or that of the default backend
	 */
	String backendOf(LockRequest request);

	/**
	 * Return the leases of this thread's open scopes whose loss matters to one of their
	 * bodies.
	 * @return the leases, held or lost
	 */
	List<Lease> leasesThatMatter();

	/**
	 * Return whether scopes are refused because the application stops, so that a front
	 * end can tell this from a fault of the store.
	 * @return whether it stops
	 */
	default boolean areStopped() {
		return false;
	}

	/**
	 * A scope that is open.
	 */
	interface Scope {

		/**
		 * Return the lease of the scope.
		 * @return the lease, the outermost scope's where this one re-entered
		 */
		Lease lease();

		/**
		 * Keep the lock unavailable to everybody for a time after the lease will have
		 * been released, however it comes to that. The longest time that is asked for
		 * counts, and the rest of the minimum hold if that is longer.
		 * @param cooldown the time
		 */
		void cooldown(Duration cooldown);

		/**
		 * Leave the scope, on the thread that opened it. The outermost exit releases the
		 * lease; inside a running transaction it is kept, and the scope stays open for
		 * nested calls, until the transaction has completed. Never throws for a fault of
		 * the store.
		 * @return what to tell the caller if the lease had been lost; empty if it was
		 * held until now
		 */
		Optional<LeaseLostException> close();

		/**
		 * Take note, before the body runs, that the loss of its lease does not matter to
		 * it: transactions commit even if the lease is lost until then, unless it matters
		 * to a body around this one.
		 */
		default void ignoreLoss() {
		}

	}

}
