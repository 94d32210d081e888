package io.distributedlock.sample.outage;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SessionStatus;
import io.distributedlock.spi.SeveralKeys;

/**
 * Fails each call to the store while it is switched off. Calls that were sent before are
 * answered. Has to forward all methods, those with a default implementation too.
 *
 * @param delegate the connection to the store
 * @param power whether it is switched off
 */
record SwitchedConnection(BackendConnection delegate, StoreSwitch power) implements BackendConnection {

	@Override
	public BackendTraits traits() {
		return this.delegate.traits();
	}

	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		return this.delegate.severalKeys(target);
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		return new SwitchedContender(this.delegate.contend(target, wakeUp), this.power);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return call(() -> this.delegate.wakesContenders(target));
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return call(() -> this.delegate.renew(renewals));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return call(() -> this.delegate.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown, Duration patience) {
		return call(() -> this.delegate.release(grant, cooldown, patience));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return call(() -> this.delegate.abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return call(() -> this.delegate.find(key));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return call(() -> this.delegate.list(next, limit));
	}

	@Override
	public List<NodeStatus> nodes() {
		return this.delegate.nodes();
	}

	@Override
	public @Nullable SessionStatus session() {
		return this.delegate.session();
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return call(() -> this.delegate.forceRelease(key, cooldown));
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	private <T> CompletionStage<T> call(Supplier<CompletionStage<T>> call) {
		return this.power.isAway() ? CompletableFuture.failedStage(this.power.failure()) : call.get();
	}

	/**
	 * Fails attempts while the store is switched off. They do not reach the store, so
	 * there is nothing to give back.
	 *
	 * @param delegate the contender of the store
	 * @param power whether it is switched off
	 */
	private record SwitchedContender(Contender delegate, StoreSwitch power) implements Contender {

		@Override
		public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
			return this.power.isAway()
					? CompletableFuture.completedStage(new AttemptOutcome.Unavailable(this.power.failure(), false))
					: this.delegate.attempt(request);
		}

		@Override
		public void withdraw() {
			this.delegate.withdraw();
		}

	}

}
