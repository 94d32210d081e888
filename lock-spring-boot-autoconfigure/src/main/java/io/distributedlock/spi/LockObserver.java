package io.distributedlock.spi;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;

/**
 * Observes acquisitions and leases synchronously, for example to open spans around them.
 * Unlike a {@link LockListener}, an observer sees the thread of the caller.
 * <p>
 * The engine calls observers only on the threads of callers and on its callback threads,
 * never on a thread of a store or of the timer. Exceptions of an observer are logged and
 * change nothing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockObserver {

	/**
	 * Observes nothing.
	 */
	LockObserver NONE = (store, request) -> Acquisition.NONE;

	/**
	 * Begin to observe an acquisition, on the thread of the caller. Requests that are
	 * refused without asking the store, and re-entries, are not observed.
	 * @param store the name of the store
	 * @param request the request
	 * @return the observed acquisition, which ends exactly once
	 */
	Acquisition begin(String store, LockRequest request);

	/**
	 * An acquisition that is under way.
	 */
	interface Acquisition {

		/**
		 * Is not observed.
		 */
		Acquisition NONE = new Acquisition() {

			@Override
			public Hold acquired(Lease lease, boolean handedOver) {
				return Hold.NONE;
			}

			@Override
			public void failed(Throwable failure) {
			}

		};

		/**
		 * End with a lease, on the thread of the caller or on a callback thread.
		 * @param lease the lease
		 * @param handedOver whether it was handed over inside this JVM
		 * @return the observed lease, which ends exactly once
		 */
		Hold acquired(Lease lease, boolean handedOver);

		/**
		 * End without a lease, on the thread of the caller or on a callback thread.
		 * @param failure the exception for the caller
		 */
		void failed(Throwable failure);

	}

	/**
	 * A lease that is held.
	 */
	interface Hold {

		/**
		 * Is not observed.
		 */
		Hold NONE = new Hold() {

			@Override
			public BodyScope openScope() {
				return BodyScope.NONE;
			}

			@Override
			public void end(@Nullable LossReason lossReason) {
			}

		};

		/**
		 * Make this lease the current observation of the calling thread.
		 * @return the scope, to be closed on the same thread, innermost first
		 */
		BodyScope openScope();

		/**
		 * End the lease, on any thread that may run callers' code. A scope that is still
		 * open is closed by the thread that opened it.
		 * @param lossReason why it was lost, or {@code null} if it was released
		 */
		void end(@Nullable LossReason lossReason);

	}

	/**
	 * The part of a thread's work in which a lease is the current observation.
	 */
	@FunctionalInterface
	interface BodyScope extends AutoCloseable {

		/**
		 * Has no effect.
		 */
		BodyScope NONE = () -> {
		};

		@Override
		void close();

	}

}
