package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockObserver;

/**
 * Acquires leases for callers, which either block until the lease is there or receive a
 * future. The acquirer puts a waiter into the queue of the key, checks it when its time
 * is over, and reports how the acquisition has ended.
 */
final class LeaseAcquirer {

	private static final Logger logger = LoggerFactory.getLogger(LeaseAcquirer.class);

	private final EngineParts parts;

	private final KeyQueues queues;

	private final Supplier<BackendConnection> opener;

	private final BiConsumer<Waiter, Throwable> onFailure = this::notifyFailure;

	/**
	 * Create the acquirer.
	 * @param opener returns the connection to the store, or throws if the engine was
	 * stopped
	 */
	LeaseAcquirer(EngineParts parts, KeyQueues queues, Supplier<BackendConnection> opener) {
		this.parts = parts;
		this.queues = queues;
		this.opener = opener;
	}

	/**
	 * Acquire a lease and block until it is there. If too little of it is left when this
	 * thread has woken up, the lease is given back, and the rest of the wait time is used
	 * for another one.
	 */
	ManagedLease acquire(LockRequest request, Duration defaultWaitTime) {
		if (Thread.currentThread().isInterrupted()) {
			throw interrupted(request);
		}
		ResolvedRequest resolved = resolve(request, defaultWaitTime);
		LockLimits.Slot slot = this.parts.gates().admit(request);
		LockObserver.Acquisition observed = this.parts.gates().observe(request);
		ManagedLease lease;
		try {
			lease = resolved.hasOneKey() ? acquire(request, enqueue(resolved, slot, true))
					: await(begin(resolved, slot));
		}
		catch (Throwable ex) {
			observed.failed(ex);
			throw ex;
		}
		lease.observe(observed.acquired(lease, lease.isHandedOver()));
		return lease;
	}

	private DefaultLease acquire(LockRequest request, Waiter waiter) {
		DefaultLease lease = await(waiter);
		while (!lease.canBegin()) {
			lease.end();
			Duration left = waiter.timeLeft(this.parts.now());
			if (!waiter.request().canBeGrantedAgain() || left.isNegative() || left.isZero()) {
				throw ranOut(waiter.request());
			}
			ResolvedRequest rest = resolve(request.waitTime(left), left);
			lease = await(enqueue(rest, this.parts.gates().admit(request), true));
		}
		return lease;
	}

	private ManagedLease await(PendingKeys pending) {
		ResolvedRequest request = pending.acquisition().request();
		ManagedLease lease;
		try {
			lease = pending.future().get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			LockInterruptedException interruption = interrupted(request.lockRequest());
			if (!pending.acquisition().fail(interruption)) {
				pending.future().thenAccept(LeaseAcquirer::disown);
			}
			throw interruption;
		}
		catch (ExecutionException ex) {
			throw failure(CompletionCauses.unwrap(ex));
		}
		if (!lease.canBegin()) {
			lease.end();
			throw ranOut(request);
		}
		return lease;
	}

	/**
	 * Begin to acquire several keys.
	 */
	private PendingKeys begin(ResolvedRequest request, LockLimits.@Nullable Slot slot) {
		this.parts.listeners().waiting(this.parts.backend().name(), request.lockRequest());
		SeveralKeysAcquisition acquisition = new SeveralKeysAcquisition(this.parts, this, request);
		try {
			acquisition.start(this.opener.get().severalKeys(request.target()));
		}
		catch (Throwable ex) {
			acquisition.fail(ex);
		}
		return new PendingKeys(acquisition, acquisition.result().whenComplete((lease, failure) -> {
			if (slot != null) {
				slot.free();
			}
			if (failure != null) {
				reportFailure(request, CompletionCauses.unwrap(failure), acquisition.waited());
			}
		}));
	}

	private DefaultLease await(Waiter waiter) {
		try {
			return awaitDecision(waiter);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			LockInterruptedException interruption = interrupted(waiter.request().lockRequest());
			if (!giveUp(waiter, interruption)) {
				// Too late: the outcome is decided already. In any case this thread does
				// not take a lease.
				disown(waiter);
			}
			throw interruption;
		}
		catch (ExecutionException ex) {
			throw failure(CompletionCauses.unwrap(ex));
		}
		catch (Throwable ex) {
			disown(waiter);
			throw ex;
		}
	}

	/**
	 * Wait until the outcome of an acquisition is decided. The thread checks the time
	 * itself and so does not depend on the timer, which may be late on an overloaded
	 * machine.
	 */
	private DefaultLease awaitDecision(Waiter waiter) throws InterruptedException, ExecutionException {
		Duration next = waiter.future().isDone() ? Duration.ZERO : firstLook(waiter);
		while (true) {
			try {
				return waiter.future().get(Math.max(1, next.toMillis() + 1), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				Duration left = waiter.queue().timeOut(waiter);
				next = (left != null) ? left : waiter.request().overtime();
			}
		}
	}

	/**
	 * Release the lease that a waiter has received or is about to receive, because its
	 * caller has left.
	 */
	private static void disown(Waiter waiter) {
		waiter.future().whenComplete((lease, failure) -> {
			if (lease != null) {
				disown(lease);
			}
		});
	}

	private static void disown(ManagedLease lease) {
		lease.disown();
		lease.end();
	}

	/**
	 * Acquire a lease without blocking. Cancelling the returned future ends the wait.
	 */
	CompletableFuture<Lease> acquireAsync(LockRequest request, Duration defaultWaitTime) {
		try {
			ResolvedRequest resolved = resolve(request, defaultWaitTime);
			LockLimits.Slot slot = this.parts.gates().admit(request);
			return acquireAsync(resolved, slot);
		}
		catch (LockException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<Lease> acquireAsync(ResolvedRequest request, LockLimits.@Nullable Slot slot) {
		LockObserver.Acquisition observed = this.parts.gates().observe(request.lockRequest());
		CompletableFuture<? extends ManagedLease> pending;
		Runnable giveUp;
		try {
			if (request.hasOneKey()) {
				Waiter waiter = enqueue(request, slot, false);
				pending = waiter.future();
				giveUp = () -> giveUp(waiter, cancelled(request));
			}
			else {
				PendingKeys keys = begin(request, slot);
				pending = keys.future();
				giveUp = () -> keys.acquisition().fail(cancelled(request));
			}
		}
		catch (Throwable ex) {
			observed.failed(ex);
			throw ex;
		}
		CompletableFuture<Lease> result = new CompletableFuture<>();
		result.whenComplete((lease, failure) -> {
			if (result.isCancelled()) {
				giveUp.run();
			}
		});
		pending.whenCompleteAsync((lease, failure) -> {
			if (lease == null) {
				Throwable cause = CompletionCauses.unwrap(failure);
				observed.failed(cause);
				result.completeExceptionally(cause);
			}
			else if (!lease.canBegin()) {
				lease.end();
				LockUnavailableException tooLate = ranOut(request);
				observed.failed(tooLate);
				result.completeExceptionally(tooLate);
			}
			else {
				lease.observe(observed.acquired(lease, lease.isHandedOver()));
				if (!result.complete(lease)) {
					lease.end();
				}
			}
		}, this.parts.threads());
		return result;
	}

	private ResolvedRequest resolve(LockRequest request, Duration defaultWaitTime) {
		this.parts.gates().checkKeys(request);
		BackendTraits traits = this.opener.get().traits();
		return ResolvedRequest.resolve(request, defaultWaitTime, this.parts.settings(), this.parts.backend().name(),
				traits);
	}

	/**
	 * Enqueue a part of an acquisition of several keys, or all of them.
	 * @param mostBusyAttempts after how many busy attempts the wait ends with a
	 * {@link ContendedKeysException}; zero for any number
	 */
	Waiter enqueue(ResolvedRequest request, int mostBusyAttempts) {
		Waiter waiter = new Waiter(request, false, this.parts.now(), null, this.onFailure);
		waiter.endAfterBusyAttempts(mostBusyAttempts);
		enqueue(waiter);
		return waiter;
	}

	private Waiter enqueue(ResolvedRequest request, LockLimits.@Nullable Slot slot, boolean blocking) {
		Waiter waiter = new Waiter(request, blocking, this.parts.now(), slot, this.onFailure);
		enqueue(waiter);
		return waiter;
	}

	private void enqueue(Waiter waiter) {
		ResolvedRequest request = waiter.request();
		try {
			if (request.lockRequest().getKeys().size() == 1) {
				this.parts.listeners().waiting(this.parts.backend().name(), request.lockRequest());
			}
			LockUnavailableException refusal = this.parts.gates().circuit().refusal();
			if (refusal != null) {
				waiter.fail(refusal);
				return;
			}
			while (!this.queues.queueOf(request.target()).offer(waiter)) {
				// The queue ended between the look-up and the offer.
				Thread.onSpinWait();
			}
			if (waiter.isWaiting()) {
				// The first attempt may have blocked this thread for a part of the time.
				lookAfter(waiter, firstLook(waiter));
			}
			if (this.parts.calls().isStopped()) {
				// The stop may have gone through the queues before this waiter was added.
				giveUp(waiter, this.parts.calls().stopped());
			}
		}
		catch (Throwable ex) {
			waiter.freeSlot();
			if (!waiter.decide()) {
				disown(waiter);
			}
			throw ex;
		}
	}

	/**
	 * Return the time until the first check of a waiter.
	 */
	private Duration firstLook(Waiter waiter) {
		Duration left = waiter.timeLeft(this.parts.now());
		Duration look = waiter.request().isOneAttempt() ? left.plus(waiter.request().overtime())
				: waiter.request().nextLook(left);
		return look.isNegative() ? Duration.ZERO : look;
	}

	private void lookAfter(Waiter waiter, Duration delay) {
		this.parts.clock().scheduleUnlessDone(waiter.future(), delay, () -> {
			Duration next = waiter.queue().timeOut(waiter);
			if (next != null) {
				lookAfter(waiter, next);
			}
		});
	}

	/**
	 * Report that an acquisition has failed. Called after its future was completed; a
	 * failure here must not affect the steps that follow.
	 */
	private void notifyFailure(Waiter waiter, Throwable failure) {
		if (waiter.request().lockRequest().getKeys().size() == 1) {
			reportFailure(waiter.request(), failure, waiter.waited(this.parts.now()));
		}
	}

	private void reportFailure(ResolvedRequest resolved, Throwable failure, Duration waited) {
		try {
			reportFailure(resolved.lockRequest(), failure, waited);
		}
		catch (Throwable ex) {
			logger.warn("A failed acquisition could not be reported", ex);
		}
	}

	private void reportFailure(LockRequest request, Throwable failure, Duration waited) {
		logger.debug("Not acquired {} from {} after {}: {}", request, this.parts.backend().name(), waited,
				failure.toString());
		if (failure instanceof LockBusyException) {
			this.parts.listeners().busy(this.parts.backend().name(), request, waited);
		}
		else {
			this.parts.listeners().unavailable(this.parts.backend().name(), request, failure, waited);
		}
	}

	boolean giveUp(Waiter waiter, LockException reason) {
		boolean decided = waiter.fail(reason);
		if (decided) {
			waiter.queue().forget(waiter);
		}
		return decided;
	}

	LockUnavailableException ranOut(ResolvedRequest request) {
		return new LockUnavailableException("The lease on " + request.lockRequest().getKeys()
				+ " ran out before its holder could use it: the backend '" + this.parts.backend().name()
				+ "' or this machine was too slow for its ttl of " + request.ttl());
	}

	LockInterruptedException cancelled(ResolvedRequest request) {
		return new LockInterruptedException(
				"The wait for the lock on " + request.lockRequest().getKeys() + " was cancelled");
	}

	private static LockInterruptedException interrupted(LockRequest request) {
		return new LockInterruptedException(
				"The thread was interrupted while it waited for the lock on " + request.getKeys());
	}

	private static RuntimeException failure(Throwable cause) {
		if (cause instanceof LockException exception) {
			// Thrown on the caller's thread, so that its stack is the caller's.
			exception.setStackTrace(new Throwable().getStackTrace());
			return exception;
		}
		return new IllegalStateException(cause);
	}

	/**
	 * An acquisition of several keys that is under way.
	 */
	private record PendingKeys(SeveralKeysAcquisition acquisition, CompletableFuture<ManagedLease> future) {
	}

}
