package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * The parts of the engine of one store, and what happens to a lease between them.
 */
final class EngineCore implements LeaseOwner, BackendListener {

	/**
	 * How long a key stays taken after a forced release, so that no other client has it
	 * while a lease that was taken away may still be passed on.
	 */
	static final Duration FORCED_COOLDOWN = CohortGrant.LONGEST_WINDOW
		.plus(LockClock.driftAllowance(CohortGrant.LONGEST_WINDOW));

	private static final Logger logger = LoggerFactory.getLogger(EngineCore.class);

	private final String name;

	private final BackendTraits traits;

	private final EngineSettings settings;

	private final LockClock clock;

	private final EngineThreads threads = new EngineThreads();

	private final LockListeners listeners;

	private final ConcurrentMap<LockTarget, KeyQueue> queues = new ConcurrentHashMap<>();

	private final Renewals renewals = new Renewals(this);

	private final Confirmations confirmations = new Confirmations(this);

	private final OrphanReaper reaper = new OrphanReaper(this);

	private final StoreCalls calls;

	private final Refusals refusals;

	EngineCore(String name, LockBackend backend, EngineSettings settings, LockClock clock,
			List<LockListener> listeners) {
		this.name = name;
		this.traits = backend.traits();
		this.settings = settings;
		this.clock = clock;
		this.listeners = new LockListeners(listeners, this.threads);
		this.calls = new StoreCalls(name, backend, clock);
		this.refusals = new Refusals(this.calls::description, clock);
	}

	void enqueue(Waiter waiter) {
		LockTarget target = waiter.request().target();
		while (!this.queues.computeIfAbsent(target, (key) -> new KeyQueue(this, key)).offer(waiter)) {
			// The queue ended between the look and the offer; the next one is a new one.
			Thread.onSpinWait();
		}
	}

	@Nullable Duration timeOut(Waiter waiter) {
		KeyQueue queue = this.queues.get(waiter.request().target());
		return (queue != null) ? queue.timeOut(waiter) : null;
	}

	void forget(Waiter waiter) {
		KeyQueue queue = this.queues.get(waiter.request().target());
		if (queue != null) {
			queue.forget(waiter);
		}
	}

	void remove(LockTarget target, KeyQueue queue) {
		this.queues.remove(target, queue);
	}

	/**
	 * Hand a lease to its waiter. If the waiter has gone meanwhile, or can't be served,
	 * the lease ends as if it had been released. The lease is known to the renewals
	 * before: a stop right after the acquisition looks for it there. Listeners hear of it
	 * before, too, so that its release does not come first.
	 */
	void deliver(Waiter waiter, DefaultLease lease, boolean handedOver) {
		boolean served = false;
		try {
			this.renewals.add(lease);
			if (waiter.decide()) {
				tellAcquired(waiter, lease, handedOver);
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

	private void tellAcquired(Waiter waiter, DefaultLease lease, boolean handedOver) {
		Duration waited = waiter.waited(this.clock.nanoTime());
		LockRequest request = waiter.request().lockRequest();
		logger.debug("{} {} of the backend '{}' after {}", handedOver ? "Handed over" : "Acquired", lease,
				backendName(), waited);
		if (handedOver) {
			this.listeners.handedOver(backendName(), request, lease, waited);
		}
		else {
			this.listeners.acquired(backendName(), request, lease, waited);
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The renewals keep the lease until the release has been answered: a stop waits for
	 * that, and one that is never answered is found there.
	 */
	@Override
	public void released(DefaultLease lease) {
		long now = this.clock.nanoTime();
		Duration cooldown = lease.cooldown(now);
		KeyQueue queue = this.queues.get(lease.request().target());
		if (queue != null && cooldown.isZero() && queue.handOver(lease)) {
			settle(lease, true, now);
			return;
		}
		this.calls.call((store) -> store.release(lease.cohort().grant(), cooldown)).whenComplete((stood, failure) -> {
			if (failure != null) {
				unconfirmed(lease, CompletionCauses.unwrap(failure), now);
			}
			else {
				settle(lease, stood, now);
			}
		});
	}

	/**
	 * Wait no longer for the answer to a release.
	 */
	void giveUpRelease(DefaultLease lease) {
		KeyQueue queue = this.queues.get(lease.request().target());
		if (queue == null || queue.holder().lease() != lease) {
			// The store has nothing to do with it: it was passed on.
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
		logger.warn("The release of {} was not confirmed by the backend {}; it is repeated in the background"
				+ " until the lease has run out", lease, description(), cause);
		this.reaper.release(lease);
		settle(lease, true, at);
	}

	/**
	 * The reaper repeats the release all the same: somebody may grant the right before
	 * the lease has run out.
	 */
	private void refused(DefaultLease lease, Throwable cause, long at) {
		logger.error("The backend {} refuses the release of {}; the lock stays taken until its ttl of {} has passed",
				description(), lease, lease.request().ttl(), cause);
		this.reaper.release(lease);
		if (lease.settleRefused()) {
			settled(lease, lease.heldFor(at));
		}
	}

	private void settle(DefaultLease lease, boolean stood, long at) {
		if (!lease.settle(stood)) {
			return;
		}
		Duration heldFor = lease.heldFor(at);
		if (stood) {
			logger.debug("Released {} to {} after {}", lease, backendName(), heldFor);
			settled(lease, heldFor);
		}
		else {
			this.renewals.remove(lease);
			tellLost(lease, LossReason.TAKEN, heldFor);
			ended(lease);
		}
	}

	private void settled(DefaultLease lease, Duration heldFor) {
		this.renewals.remove(lease);
		this.listeners.released(backendName(), lease.request().lockRequest(), lease, heldFor);
		ended(lease);
	}

	@Override
	public void lost(DefaultLease lease, LossReason reason, List<Consumer<? super Lease>> lossListeners) {
		this.renewals.remove(lease);
		tellLoss(lease, lossListeners);
		tellLost(lease, reason, lease.heldFor(this.clock.nanoTime()));
		if (reason != LossReason.TAKEN) {
			this.reaper.release(lease);
		}
		ended(lease);
	}

	private void tellLost(DefaultLease lease, LossReason reason, Duration heldFor) {
		logger.warn("Lost {} of the backend '{}' after {}: {}", lease, backendName(), heldFor, reason);
		this.listeners.lost(backendName(), lease.request().lockRequest(), lease, reason, heldFor);
	}

	private void ended(DefaultLease lease) {
		KeyQueue queue = this.queues.get(lease.request().target());
		if (queue != null) {
			queue.ended(lease);
		}
	}

	@Override
	public void tellLoss(DefaultLease lease, List<Consumer<? super Lease>> lossListeners) {
		for (Consumer<? super Lease> listener : lossListeners) {
			this.threads.execute(() -> {
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
	public void leaseLost(OwnerId ownerId) {
		for (DefaultLease lease : this.renewals.leases()) {
			if (lease.cohort().grant().ownerId().equals(ownerId) && lease.expireIfOver(this.clock.nanoTime())) {
				lease.lose(LossReason.TAKEN);
			}
		}
	}

	/**
	 * Take note that the store no longer has the lease of a cohort.
	 */
	void taken(CohortGrant cohort) {
		KeyQueue queue = this.queues.get(cohort.grant().target());
		if (queue != null) {
			queue.holder().taken(cohort);
		}
	}

	/**
	 * Take a key away from its holder, who may be of this JVM: its lease is not passed on
	 * from before the store is asked, and its holder learns of the loss before this is
	 * done.
	 */
	CompletionStage<Boolean> forceRelease(String key) {
		queuesOf(key).forEach((queue) -> queue.holder().stopHandOver());
		return this.calls.call((store) -> store.forceRelease(key, FORCED_COOLDOWN))
			.handle((taken, failure) -> verifyHolders(key).thenCompose((verified) -> (failure != null)
					? CompletableFuture.<Boolean>failedFuture(failure) : CompletableFuture.completedFuture(taken)))
			.thenCompose((answer) -> answer);
	}

	private CompletableFuture<Void> verifyHolders(String key) {
		return CompletableFuture.allOf(queuesOf(key).stream()
			.map((queue) -> queue.holder().lease())
			.filter((lease) -> lease != null && lease.isOpen())
			.map(this.renewals::verify)
			.toArray(CompletableFuture[]::new));
	}

	private List<KeyQueue> queuesOf(String key) {
		return this.queues.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().keys().contains(key))
			.map(Map.Entry::getValue)
			.toList();
	}

	@Override
	public void contended(LeaseGrant grant, Duration pollAfter) {
		KeyQueue queue = this.queues.get(grant.target());
		if (queue != null) {
			queue.holder().contended(grant, pollAfter);
		}
	}

	@Override
	public boolean await(DefaultLease lease, CompletableFuture<Boolean> ended) {
		return this.calls.within(lease.request(), ended, () -> {
			logger.warn("The backend {} has not answered the release of {}", description(), lease);
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
	public String description() {
		return this.calls.description();
	}

	@Override
	public LockClock clock() {
		return this.clock;
	}

	@Override
	public Executor callbacks() {
		return this.threads;
	}

	BackendTraits traits() {
		return this.traits;
	}

	EngineSettings settings() {
		return this.settings;
	}

	LockListeners listeners() {
		return this.listeners;
	}

	Renewals renewals() {
		return this.renewals;
	}

	Confirmations confirmations() {
		return this.confirmations;
	}

	OrphanReaper reaper() {
		return this.reaper;
	}

	StoreCalls calls() {
		return this.calls;
	}

	Refusals refusals() {
		return this.refusals;
	}

	List<KeyQueue> queues() {
		return List.copyOf(this.queues.values());
	}

}
