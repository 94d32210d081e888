package io.distributedlock.backend.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
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
 * No call blocks or fails, and every stage is complete when it is returned. Leases are
 * counted on the monotonic clock. Exclusive locks of one key only.
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
		if (target.keys().size() != 1 || target.mode() != LockMode.EXCLUSIVE) {
			throw new IllegalArgumentException("The local store grants one key at a time and only EXCLUSIVE, not "
					+ target.mode() + " of " + target.keys());
		}
		return new LocalContender(this, this.store, target, wakeUp);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			long askedAt = this.clock.nanoTime();
			outcomes.add(this.store.renew(renewal.grant(), renewal.ttl())
					? new RenewalOutcome.Renewed(LockClock.validUntil(askedAt, renewal.ttl()))
					: new RenewalOutcome.Lost());
		}
		return CompletableFuture.completedFuture(outcomes);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return CompletableFuture.completedFuture(this.store.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		orphans.forEach(this.store::abandon);
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return CompletableFuture.completedFuture(this.store.find(key));
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		return CompletableFuture.completedFuture(this.store.list());
	}

	/**
	 * Take a lock away from its holder, who is told at once. Does not end a cooldown.
	 */
	@Override
	public CompletionStage<Boolean> forceRelease(String key) {
		return CompletableFuture.completedFuture(this.store.forceRelease(key));
	}

	String instanceId() {
		return this.instanceId;
	}

	LockClock clock() {
		return this.clock;
	}

	void lost(OwnerId ownerId) {
		this.losses.lost(ownerId);
	}

	void wanted(LeaseGrant grant) {
		this.losses.wanted(grant, Duration.ZERO);
	}

}
