package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * The parts of the engine of one store, and what happens to a lease between them.
 */
final class EngineCore implements LeaseOwner, LossListener {

	private static final Logger logger = LoggerFactory.getLogger(EngineCore.class);

	private final String name;

	private final LockBackend backend;

	private final EngineSettings settings;

	private final LockClock clock;

	private final LockListener listeners;

	private final EngineThreads threads = new EngineThreads();

	private final ConcurrentMap<LockTarget, KeyQueue> queues = new ConcurrentHashMap<>();

	private final Renewals renewals = new Renewals(this);

	private final Aftercare aftercare = new Aftercare(this);

	private final StoreCalls calls;

	EngineCore(String name, LockBackend backend, EngineSettings settings, LockClock clock, LockListener listeners) {
		this.name = name;
		this.backend = backend;
		this.settings = settings;
		this.clock = clock;
		this.listeners = listeners;
		this.calls = new StoreCalls(name, clock);
	}

	void enqueue(Waiter waiter) {
		LockTarget target = waiter.acquisition().target();
		while (!this.queues.computeIfAbsent(target, (key) -> new KeyQueue(this, key)).offer(waiter)) {
			// The queue ended between the look and the offer; the next one is a new one.
			Thread.onSpinWait();
		}
	}

	void timeOut(Waiter waiter) {
		KeyQueue queue = this.queues.get(waiter.acquisition().target());
		if (queue != null) {
			queue.timeOut(waiter);
		}
	}

	void forget(Waiter waiter) {
		KeyQueue queue = this.queues.get(waiter.acquisition().target());
		if (queue != null) {
			queue.forget(waiter);
		}
	}

	void remove(LockTarget target, KeyQueue queue) {
		this.queues.remove(target, queue);
	}

	/**
	 * Hand a lease to its waiter; where the waiter has gone meanwhile, the lease ends as
	 * if it had released it. The lease is known to the renewals before: a stop right
	 * after the acquisition looks for it there. The listeners are told before, too, so
	 * that they do not hear of its release first.
	 */
	void deliver(Waiter waiter, DefaultLease lease, boolean handedOver) {
		if (!waiter.decide()) {
			lease.end();
			return;
		}
		this.renewals.add(lease);
		try {
			tellAcquired(waiter, lease, handedOver);
		}
		finally {
			if (this.calls.isStopped()) {
				lease.lose(LossReason.STOPPED);
			}
			waiter.serve(lease);
		}
	}

	private void tellAcquired(Waiter waiter, DefaultLease lease, boolean handedOver) {
		Duration waited = waiter.waited(this.clock.nanoTime());
		LockRequest request = waiter.acquisition().request();
		logger.debug("{} {} of the backend '{}' after {}", handedOver ? "Handed over" : "Acquired", lease,
				backendName(), waited);
		if (handedOver) {
			this.listeners.handedOver(backendName(), request, lease, waited);
		}
		else {
			this.listeners.acquired(backendName(), request, lease, waited);
		}
	}

	@Override
	public void released(DefaultLease lease) {
		// Counted before the lease leaves the renewals: a stop waits for one or the
		// other.
		this.calls.begin();
		try {
			giveBack(lease);
		}
		finally {
			this.calls.end();
		}
	}

	private void giveBack(DefaultLease lease) {
		this.renewals.remove(lease);
		long now = this.clock.nanoTime();
		Duration heldFor = lease.heldFor(now);
		Duration cooldown = lease.cooldown(now);
		KeyQueue queue = this.queues.get(lease.acquisition().target());
		if (queue != null && cooldown.isZero() && queue.handOver(lease)) {
			endRelease(lease, true, heldFor);
			return;
		}
		this.calls.call(() -> this.backend.release(lease.tenure().grant(), cooldown)).whenComplete((stood, failure) -> {
			if (failure != null) {
				logger.warn("The release of {} was not confirmed by the backend '{}'; it is repeated in the background"
						+ " until the lease has run out", lease, backendName(), StoreCalls.causeOf(failure));
				this.aftercare.release(lease);
			}
			endRelease(lease, failure != null || stood, heldFor);
			ended(lease);
		});
	}

	private void endRelease(DefaultLease lease, boolean stood, Duration heldFor) {
		lease.settle(stood);
		if (stood) {
			logger.debug("Released {} to {} after {}", lease, backendName(), heldFor);
			this.listeners.released(backendName(), lease.acquisition().request(), lease, heldFor);
		}
		else {
			tellLost(lease, LossReason.TAKEN, heldFor);
		}
	}

	@Override
	public void lost(DefaultLease lease, LossReason reason, List<Consumer<? super Lease>> lossListeners) {
		this.renewals.remove(lease);
		tellLoss(lease, lossListeners);
		tellLost(lease, reason, lease.heldFor(this.clock.nanoTime()));
		if (reason != LossReason.TAKEN) {
			this.aftercare.release(lease);
		}
		ended(lease);
	}

	private void tellLost(DefaultLease lease, LossReason reason, Duration heldFor) {
		logger.warn("Lost {} of the backend '{}' after {}: {}", lease, backendName(), heldFor, reason);
		this.listeners.lost(backendName(), lease.acquisition().request(), lease, reason, heldFor);
	}

	private void ended(DefaultLease lease) {
		KeyQueue queue = this.queues.get(lease.acquisition().target());
		if (queue != null) {
			queue.ended(lease);
		}
	}

	@Override
	public void tellLoss(DefaultLease lease, List<Consumer<? super Lease>> lossListeners) {
		for (Consumer<? super Lease> listener : lossListeners) {
			this.threads.losses().execute(() -> {
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
	 * Take note of a loss that the backend found by itself. A lease whose own deadline
	 * has passed was lost by that, and not taken away.
	 */
	@Override
	public void lost(OwnerId ownerId) {
		for (DefaultLease lease : this.renewals.leases()) {
			if (lease.tenure().grant().ownerId().equals(ownerId) && lease.expireIfOver(this.clock.nanoTime())) {
				lease.lose(LossReason.TAKEN);
			}
		}
	}

	@Override
	public void wanted(LeaseGrant grant, Duration pollAfter) {
		KeyQueue queue = this.queues.get(grant.target());
		if (queue != null) {
			queue.wanted(grant, pollAfter);
		}
	}

	@Override
	public boolean await(DefaultLease lease, CompletableFuture<Boolean> ended) {
		return this.calls.within(lease.acquisition(), ended, () -> {
			logger.warn("The backend '{}' has not answered the release of {}", backendName(), lease);
			return true;
		});
	}

	@Override
	public RenewalOutcome renew(DefaultLease lease, Renewal renewal) {
		return this.renewals.renewNow(lease, renewal);
	}

	@Override
	public String backendName() {
		return this.name;
	}

	@Override
	public LockClock clock() {
		return this.clock;
	}

	@Override
	public Executor callbacks() {
		return this.threads.callbacks();
	}

	LockBackend backend() {
		return this.backend;
	}

	EngineSettings settings() {
		return this.settings;
	}

	LockListener listeners() {
		return this.listeners;
	}

	Renewals renewals() {
		return this.renewals;
	}

	Aftercare aftercare() {
		return this.aftercare;
	}

	StoreCalls calls() {
		return this.calls;
	}

	List<KeyQueue> queues() {
		return List.copyOf(this.queues.values());
	}

}
