package io.distributedlock.backend.local;

import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

/**
 * A client's connection to the local store. Every call fails while the client is
 * {@linkplain LocalLockBackend#setReachable cut off}.
 */
final class LocalStoreConnection implements BackendConnection {

	private final LocalLockBackend backend;

	private final LocalStore store;

	private final LockClock clock;

	private final BackendListener listener;

	LocalStoreConnection(LocalLockBackend backend, LocalStore store, LockClock clock, BackendListener listener) {
		this.backend = backend;
		this.store = store;
		this.clock = clock;
		this.listener = listener;
	}

	@Override
	public BackendTraits traits() {
		return this.backend.traits();
	}

	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		return SeveralKeys.AT_ONCE;
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
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
		if (!isReachable()) {
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
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return call(() -> LockPage.of(this.store.list(), next, limit));
	}

	/**
	 * Take a lock away from its holders. They are notified at once, unless their clients
	 * are cut off.
	 */
	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return call(() -> this.store.forceRelease(key, cooldown));
	}

	/**
	 * Forget the waiters of this client, so that releases no longer wake them.
	 */
	@Override
	public void close() {
		this.store.forgetWaitersOf(this);
	}

	private <T> CompletionStage<T> call(Supplier<T> call) {
		return isReachable() ? CompletableFuture.completedFuture(call.get())
				: CompletableFuture.failedFuture(unreachable());
	}

	static ConnectException unreachable() {
		return new ConnectException("This client of the local store was cut off");
	}

	boolean isReachable() {
		return this.backend.isReachable();
	}

	String instanceId() {
		return this.backend.instanceId();
	}

	LockClock clock() {
		return this.clock;
	}

	void lost(OwnerId ownerId) {
		if (isReachable()) {
			this.listener.leaseLost(ownerId);
		}
	}

	void contended(LeaseGrant grant) {
		this.listener.contended(grant, Duration.ZERO);
	}

}
