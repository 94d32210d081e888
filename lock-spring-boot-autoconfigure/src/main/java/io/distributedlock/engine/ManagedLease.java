package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockMode;
import io.distributedlock.spi.LockObserver;

/**
 * A lease of the engine as its front ends see it: on one grant of the store, or on
 * several.
 */
interface ManagedLease extends Lease {

	LockMode mode();

	/**
	 * Return whether a body may begin on this lease.
	 */
	boolean canBegin();

	/**
	 * Return whether this lease uses a grant that another holder in this JVM has used
	 * before.
	 */
	boolean isHandedOver();

	/**
	 * Release this lease, unless it has ended before.
	 * @return completed when the store has answered the release, or by the loss
	 */
	CompletableFuture<Boolean> end();

	/**
	 * Mark this lease for release by the watchdog, because no caller will release it. A
	 * mark can be set even if no other step is possible any more.
	 */
	void disown();

	/**
	 * Stop renewing: the lease ends with its deadline if it is not released before.
	 */
	void stopRenewal();

	/**
	 * Observe this lease until it ends. Called once, by the thread that has received it.
	 */
	void observe(LockObserver.Hold hold);

	/**
	 * Make this lease the current observation of the calling thread.
	 */
	LockObserver.BodyScope openScope();

	/**
	 * Raise the minimum hold for a nested call. Called on the thread of the scope, which
	 * also ends this lease.
	 */
	void raiseMinHold(Duration atLeast);

	/**
	 * Keep the lock taken for a time after the release. Called on the thread of the
	 * scope, like {@link #raiseMinHold}.
	 * @throws IllegalStateException if this lease is not exclusive: others use the lock
	 * meanwhile
	 */
	void raiseCooldown(Duration atLeast);

	/**
	 * Return whether this lease was lost. A lease that has ended otherwise was released.
	 */
	boolean isLost();

	/**
	 * Return the exception that reports the loss of this lease.
	 */
	LeaseLostException lostException();

}
