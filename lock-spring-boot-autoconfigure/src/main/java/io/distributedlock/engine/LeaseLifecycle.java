package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.distributedlock.Lease;
import io.distributedlock.LockLimitException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * Begins and ends leases: registers them with the watchdog, notifies listeners, and
 * passes a released lease to the next waiter or back to the store.
 */
final class LeaseLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(LeaseLifecycle.class);

	private final BackendLabel backend;

	private final LockClock clock;

	private final Executor callbacks;

	private final LockListeners listeners;

	private final InFlightCalls calls;

	private final LeaseWatchdog watchdog;

	private final OrphanReaper reaper;

	private final EngineGates gates;

	LeaseLifecycle(BackendLabel backend, LockClock clock, Executor callbacks, LockListeners listeners,
			InFlightCalls calls, LeaseWatchdog watchdog, OrphanReaper reaper, EngineGates gates) {
		this.backend = backend;
		this.clock = clock;
		this.callbacks = callbacks;
		this.listeners = listeners;
		this.calls = calls;
		this.watchdog = watchdog;
		this.reaper = reaper;
		this.gates = gates;
	}

	/**
	 * Deliver a lease to its waiter. If the waiter has left meanwhile, or can't be
	 * served, the lease ends as if it had been released. The lease is registered with the
	 * watchdog first, because a stop right after the acquisition looks for it there.
	 * Listeners are also notified first, so that the release is not reported before the
	 * acquisition.
	 */
	void deliver(Waiter waiter, DefaultLease lease, boolean handedOver) {
		boolean served = false;
		try {
			this.watchdog.add(lease);
			if (isWithinLimits(waiter, lease) && waiter.decide()) {
				notifyAcquired(waiter, lease, handedOver);
				if (this.calls.isStopped()) {
					lease.lose(LossReason.STOPPED);
				}
				served = waiter.serve(lease);
			}
		}
		catch (Throwable ex) {
			logger.warn("{} could not be delivered", lease, ex);
			waiter.breakOff(ex);
		}
		finally {
			if (!served) {
				lease.disown();
				lease.end();
			}
		}
	}

	/**
	 * Count a lease among the limits. The waiter ends if that exceeds one.
	 */
	private boolean isWithinLimits(Waiter waiter, DefaultLease lease) {
		if (waiter.request().isPart()) {
			return true;
		}
		try {
			lease.occupy(this.gates.hold(waiter.request().lockRequest()));
			return true;
		}
		catch (LockLimitException ex) {
			waiter.fail(ex);
			return false;
		}
	}

	private void notifyAcquired(Waiter waiter, DefaultLease lease, boolean handedOver) {
		Duration waited = waiter.waited(this.clock.nanoTime());
		LockRequest request = waiter.request().lockRequest();
		if (logger.isDebugEnabled()) {
			logger.debug("{} {} of the backend '{}' after {}", handedOver ? "Handed over" : "Acquired", lease,
					this.backend.name(), waited);
		}
		if (waiter.request().isPart()) {
			return;
		}
		if (handedOver) {
			this.listeners.handedOver(this.backend.name(), request, lease, waited);
		}
		else {
			this.listeners.acquired(this.backend.name(), request, lease, waited);
		}
	}

	/**
	 * Hand over or give back a lease that its holder has released, and
	 * {@link DefaultLease#settle settle} it. The watchdog keeps the lease until the
	 * release has been answered: a stop waits for the answer, and the watchdog finds a
	 * release that is never answered.
	 * @param patience how long the store may block the calling thread
	 */
	void release(DefaultLease lease, Duration patience) {
		// The next holder may need the place.
		lease.freeSlot();
		long now = this.clock.nanoTime();
		if (isNeeded(lease, lease.cooldown(now))) {
			// The grant stays in use, and the queue has passed on from this lease.
			if (lease.settle(true)) {
				reportReleased(lease, now);
			}
			return;
		}
		Duration cooldown = lease.cooldown(now);
		this.calls.call((store) -> store.release(lease.cohort().grant(), cooldown, patience))
			.whenComplete((stood, failure) -> {
				if (failure != null) {
					unconfirmed(lease, CompletionCauses.unwrap(failure), now);
				}
				else {
					settle(lease, stood, now);
				}
			});
	}

	/**
	 * Return whether another holder in this JVM goes on to use the grant of a released
	 * lease.
	 */
	private static boolean isNeeded(DefaultLease lease, Duration cooldown) {
		return lease.request().target().isGroup() ? lease.queue().holder().leave(lease, cooldown)
				: cooldown.isZero() && lease.queue().handOver(lease);
	}

	/**
	 * Stop waiting for the answer to a release.
	 */
	void giveUpRelease(DefaultLease lease) {
		if (!lease.queue().holder().has(lease)) {
			// The grant stays in use, so the store was not asked.
			settle(lease, true, lease.endedAt());
			return;
		}
		unconfirmed(lease, new TimeoutException("no answer in time"), lease.endedAt());
	}

	private void unconfirmed(DefaultLease lease, Throwable cause, long at) {
		if (cause instanceof LockRefusedException) {
			refused(lease, cause, at);
			return;
		}
		String message = "The release of {} was not confirmed by the backend {}; it is repeated in the background"
				+ " until the lease has run out";
		if (this.calls.isOutageLogged()) {
			logger.debug(message, lease, this.backend.withAddress(), cause);
		}
		else {
			logger.warn(message, lease, this.backend.withAddress(), cause);
		}
		this.reaper.release(lease);
		settle(lease, true, at);
	}

	/**
	 * The reaper repeats the release nevertheless, because the right may be granted
	 * before the lease has expired.
	 */
	private void refused(DefaultLease lease, Throwable cause, long at) {
		logger.error("The backend {} refuses the release of {}; the lock stays taken until its ttl of {} has passed",
				this.backend.withAddress(), lease, lease.request().ttl(), cause);
		this.reaper.release(lease);
		if (lease.settleRefused()) {
			endReleased(lease, lease.heldFor(at));
			lease.queue().ended(lease);
		}
	}

	private void settle(DefaultLease lease, boolean stood, long at) {
		if (!lease.settle(stood)) {
			return;
		}
		if (stood) {
			reportReleased(lease, at);
		}
		else {
			this.watchdog.remove(lease);
			notifyLost(lease, LossReason.TAKEN, lease.heldFor(at));
		}
		lease.queue().ended(lease);
	}

	private void reportReleased(DefaultLease lease, long at) {
		Duration heldFor = lease.heldFor(at);
		if (logger.isDebugEnabled()) {
			logger.debug("Released {} to {} after {}", lease, this.backend.name(), heldFor);
		}
		endReleased(lease, heldFor);
	}

	private void endReleased(DefaultLease lease, Duration heldFor) {
		this.watchdog.remove(lease);
		if (!lease.request().isPart()) {
			this.listeners.released(this.backend.name(), lease.request().lockRequest(), lease, heldFor);
		}
	}

	/**
	 * Process a loss: notify the loss listeners of the lease and the listeners of the
	 * engine, and have the lease released at the store unless it was taken away there, or
	 * other holders use the same grant. If one of several keys was taken away, the others
	 * are given back.
	 */
	void lost(DefaultLease lease, LossReason reason, List<Consumer<? super Lease>> lossListeners) {
		lease.freeSlot();
		this.watchdog.remove(lease);
		notifyLossListeners(lease, lossListeners);
		notifyLost(lease, reason, lease.heldFor(this.clock.nanoTime()));
		boolean needed = lease.request().target().isGroup()
				&& lease.queue().holder().leave(lease, lease.cooldown(this.clock.nanoTime()));
		boolean gone = reason == LossReason.TAKEN && lease.request().hasOneKey();
		if (!gone && !needed) {
			this.reaper.release(lease);
		}
		lease.queue().ended(lease);
	}

	private void notifyLost(DefaultLease lease, LossReason reason, Duration heldFor) {
		logger.warn("Lost {} of the backend '{}' after {}: {}", lease, this.backend.name(), heldFor, reason);
		if (!lease.request().isPart()) {
			this.listeners.lost(this.backend.name(), lease.request().lockRequest(), lease, reason, heldFor);
		}
	}

	void notifyLossListeners(Lease lease, List<Consumer<? super Lease>> lossListeners) {
		for (Consumer<? super Lease> listener : lossListeners) {
			this.callbacks.execute(() -> {
				try {
					listener.accept(lease);
				}
				catch (Throwable ex) {
					logger.warn("A loss listener of {} failed", lease, ex);
				}
			});
		}
	}

	/**
	 * Wait for the end of a lease, but little longer than a store may take; then return
	 * {@code true}. Interrupts do not end the wait and leave the flag set.
	 */
	boolean awaitEnd(DefaultLease lease) {
		return this.calls.within(lease.request(), lease.ended(), () -> {
			Level level = this.calls.isOutageLogged() ? Level.DEBUG : Level.WARN;
			logger.atLevel(level)
				.log("The backend {} has not answered the release of {}", this.backend.withAddress(), lease);
			return true;
		});
	}

}
