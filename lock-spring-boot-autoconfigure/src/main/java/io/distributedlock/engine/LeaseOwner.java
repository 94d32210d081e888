package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * What a lease needs from the engine that made it.
 */
interface LeaseOwner {

	String backendName();

	/**
	 * Return the name of the backend, in quotes, and its address if it is known.
	 */
	String description();

	LockClock clock();

	Executor callbacks();

	/**
	 * Renew a lease, wait for the answer and let the lease know it.
	 */
	RenewalOutcome renew(DefaultLease lease, Renewal renewal);

	/**
	 * Wait for the end of a lease through interrupts, which leave the flag set, but no
	 * longer than a store may take; then {@code true}.
	 */
	boolean await(DefaultLease lease, CompletableFuture<Boolean> ended);

	/**
	 * Take back a lease that its holder has released, and {@link DefaultLease#settle}.
	 */
	void released(DefaultLease lease);

	/**
	 * Take note of a loss, and tell the listeners.
	 */
	void lost(DefaultLease lease, LossReason reason, List<Consumer<? super Lease>> listeners);

	void tellLoss(DefaultLease lease, List<Consumer<? super Lease>> listeners);

}
