package io.distributedlock.observation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
 * Measures the calls of a connection. Has to forward all methods, those with a default
 * implementation too.
 *
 * @param delegate the connection to the store
 * @param meters the meters of the store
 */
record MeteredConnection(BackendConnection delegate, StoreMeters meters) implements BackendConnection {

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
		return new MeteredContender(this.delegate.contend(target, wakeUp), this.meters);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return this.delegate.wakesContenders(target);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		try {
			return measure(StoreOperation.RENEW, () -> this.delegate.renew(renewals))
				.whenComplete((outcomes, failure) -> this.meters.count(renewals.size(), outcomes));
		}
		catch (Throwable ex) {
			this.meters.count(renewals.size(), null);
			throw ex;
		}
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return measure(StoreOperation.RELEASE, () -> this.delegate.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown, Duration patience) {
		return measure(StoreOperation.RELEASE, () -> this.delegate.release(grant, cooldown, patience));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return measure(StoreOperation.ABANDON, () -> this.delegate.abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return measure(StoreOperation.FIND, () -> this.delegate.find(key));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return measure(StoreOperation.LIST, () -> this.delegate.list(next, limit));
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
		return measure(StoreOperation.FORCE_RELEASE, () -> this.delegate.forceRelease(key, cooldown));
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	private <T> CompletionStage<T> measure(StoreOperation operation, Supplier<CompletionStage<T>> call) {
		StoreCallTimers timers = this.meters.calls();
		long begin = timers.begin();
		try {
			return timers.measure(operation, begin, call.get());
		}
		catch (Throwable ex) {
			timers.end(operation, begin, false);
			throw ex;
		}
	}

	/**
	 * Measures attempts. An attempt is a failed call if it ends as unavailable.
	 *
	 * @param delegate the contender of the store
	 * @param meters the meters of the store
	 */
	private record MeteredContender(Contender delegate, StoreMeters meters) implements Contender {

		@Override
		public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
			StoreCallTimers timers = this.meters.calls();
			long begin = timers.begin();
			try {
				return this.delegate.attempt(request)
					.whenComplete((outcome, failure) -> timers.end(StoreOperation.ACQUIRE, begin,
							outcome != null && !(outcome instanceof AttemptOutcome.Unavailable)));
			}
			catch (Throwable ex) {
				timers.end(StoreOperation.ACQUIRE, begin, false);
				throw ex;
			}
		}

		@Override
		public void withdraw() {
			this.delegate.withdraw();
		}

	}

}
