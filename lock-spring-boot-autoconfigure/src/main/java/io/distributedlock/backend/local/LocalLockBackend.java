package io.distributedlock.backend.local;

import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A client of a {@link LocalStore}. Locks out whoever uses the same store in this JVM,
 * and nobody else.
 * <p>
 * No call blocks, every stage is complete when it is returned, and none fails unless the
 * client was {@linkplain #setReachable cut off}. Leases are counted on the monotonic
 * clock. Exclusive locks of one key only.
 *
 * @since 0.1.0
 */
public final class LocalLockBackend implements LockBackend {

	private static final BackendTraits TRAITS = new BackendTraits(BackendTraits.LeaseKind.PER_LOCK, true, false, false,
			true, false, Duration.ofMillis(1), null, 1_000);

	private final LocalStore store;

	private final String instanceId;

	private final LockClock clock;

	// Written by start(), read by whichever thread takes a lock away.
	private volatile LossListener losses = (ownerId) -> {
	};

	private volatile boolean reachable = true;

	/**
	 * Create a client.
	 * @param store the store, shared by the clients that are to lock each other out
	 * @param instanceId the name by which holders are shown
	 * @param clock the clock on which the holders count the validity of their leases
	 */
	public LocalLockBackend(LocalStore store, String instanceId, LockClock clock) {
		this.store = store;
		this.instanceId = instanceId;
		this.clock = clock;
	}

	@Override
	public String name() {
		return "local";
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	public void start(LossListener losses) {
		this.losses = losses;
	}

	/**
	 * End the wake-ups of this client. Its leases stay in the store until they are
	 * released or run out.
	 */
	@Override
	public void stop() {
		this.store.forgetWaitersOf(this);
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		target.requireOneExclusiveKey(name());
		return new LocalContender(this, this.store, target, wakeUp);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return call(() -> true);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return call(() -> renewEach(renewals));
	}

	private List<RenewalOutcome> renewEach(List<Renewal> renewals) {
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			long askedAt = this.clock.nanoTime();
			outcomes.add(this.store.renew(renewal.grant(), renewal.ttl())
					? new RenewalOutcome.Renewed(LockClock.validUntil(askedAt, renewal.ttl()))
					: new RenewalOutcome.Lost());
		}
		return outcomes;
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return call(() -> this.store.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		if (!this.reachable) {
			return CompletableFuture.failedFuture(unreachable());
		}
		orphans.forEach(this.store::abandon);
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return call(() -> this.store.find(key));
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		return call(this.store::list);
	}

	/**
	 * Take a lock away from its holder, and notify the holder at once.
	 */
	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return call(() -> this.store.forceRelease(key, cooldown));
	}

	/**
	 * Let the lease on a key run out now, as if its ttl had passed without a renewal. Its
	 * holder is told at once, and the next may have the lock.
	 * @param key the key
	 * @return whether somebody held it
	 */
	public boolean expire(String key) {
		return this.store.expire(key);
	}

	/**
	 * Return whether anybody waits for a key, in any client of the store.
	 * @param key the key
	 * @return whether a waiter has found it busy and will be woken
	 */
	public boolean isWaitedFor(String key) {
		return this.store.isWaitedFor(key);
	}

	/**
	 * Cut this client off from the store, or connect it again. While it is cut off every
	 * call to the store fails, and its leases run out by their ttl.
	 * @param reachable whether the store can be reached
	 */
	public void setReachable(boolean reachable) {
		this.reachable = reachable;
	}

	/**
	 * Create another client of the same store, which this one locks out.
	 * @param instanceId the name by which its holders are shown
	 * @return the client
	 */
	public LocalLockBackend anotherClient(String instanceId) {
		return new LocalLockBackend(this.store, instanceId, this.clock);
	}

	private <T> CompletionStage<T> call(Supplier<T> call) {
		return this.reachable ? CompletableFuture.completedFuture(call.get())
				: CompletableFuture.failedFuture(unreachable());
	}

	static ConnectException unreachable() {
		return new ConnectException("This client of the local store was cut off");
	}

	boolean isReachable() {
		return this.reachable;
	}

	String instanceId() {
		return this.instanceId;
	}

	LockClock clock() {
		return this.clock;
	}

	void lost(OwnerId ownerId) {
		if (this.reachable) {
			this.losses.lost(ownerId);
		}
	}

	void wanted(LeaseGrant grant) {
		this.losses.wanted(grant, Duration.ZERO);
	}

}
