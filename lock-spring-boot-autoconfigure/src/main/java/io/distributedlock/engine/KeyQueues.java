package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.distributedlock.LossReason;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * Keeps the queues of the keys in use, and handles events about a key or an owner id that
 * this JVM may or may not use.
 */
final class KeyQueues implements BackendListener {

	/**
	 * How long a key stays taken after a forced release, so that no other client gets it
	 * while the lease that was taken away may still be handed over.
	 */
	static final Duration FORCED_COOLDOWN = CohortGrant.LONGEST_WINDOW
		.plus(LockClock.driftAllowance(CohortGrant.LONGEST_WINDOW));

	private final EngineParts parts;

	private final ConcurrentMap<List<String>, KeyQueue> queues = new ConcurrentHashMap<>();

	KeyQueues(EngineParts parts) {
		this.parts = parts;
	}

	/**
	 * Return the queue of a target's keys, whatever its mode. If the queue has ended
	 * before a waiter is added, it refuses the waiter, and the next call returns a new
	 * queue.
	 */
	KeyQueue queueOf(LockTarget target) {
		return this.queues.computeIfAbsent(target.keys(), this::create);
	}

	private KeyQueue create(List<String> keys) {
		return new KeyQueue(this.parts, (ended) -> this.queues.remove(keys, ended));
	}

	List<KeyQueue> all() {
		return List.copyOf(this.queues.values());
	}

	/**
	 * Process a loss that the backend has detected. A lease that is past its own deadline
	 * has expired and was not taken away.
	 */
	@Override
	public void leaseLost(OwnerId ownerId) {
		for (DefaultLease lease : this.parts.watchdog().leases()) {
			if (lease.cohort().grant().ownerId().equals(ownerId) && lease.expireIfOver(this.parts.now())) {
				lease.lose(LossReason.TAKEN);
			}
		}
	}

	@Override
	public void contended(LeaseGrant grant, Duration pollAfter) {
		KeyQueue queue = this.queues.get(grant.target().keys());
		if (queue != null) {
			queue.holder().contended(grant, pollAfter);
		}
	}

	@Override
	public void quarantineBegun(Duration remaining) {
		this.parts.gates().quarantineBegun(remaining);
	}

	@Override
	public void quarantineEnded() {
		this.parts.gates().quarantineEnded();
	}

	/**
	 * Take a key away from its holders. For those in this JVM, hand-over of their leases
	 * ends before the store is asked, and the leases are verified before the returned
	 * stage completes.
	 */
	CompletionStage<Boolean> forceRelease(String key) {
		holdersOf(key).forEach(KeyHolder::stopHandOver);
		return this.parts.calls()
			.call((store) -> store.forceRelease(key, FORCED_COOLDOWN))
			.handle((taken, failure) -> verifyHolders(key).thenCompose((verified) -> (failure != null)
					? CompletableFuture.<Boolean>failedFuture(failure) : CompletableFuture.completedFuture(taken)))
			.thenCompose((answer) -> answer);
	}

	private CompletableFuture<Void> verifyHolders(String key) {
		return CompletableFuture.allOf(holdersOf(key).stream()
			.flatMap((holder) -> holder.leases().stream())
			.filter(DefaultLease::isOpen)
			.map(this.parts.renewals()::verify)
			.toArray(CompletableFuture[]::new));
	}

	private List<KeyHolder> holdersOf(String key) {
		return this.queues.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().contains(key))
			.map((entry) -> entry.getValue().holder())
			.toList();
	}

}
