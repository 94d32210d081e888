package io.distributedlock.epoch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SessionStatus;
import io.distributedlock.spi.SeveralKeys;

/**
 * A connection that adds the epoch to tokens on their way to the application, and removes
 * it on their way to the store.
 *
 * @param delegate the connection to the store
 * @param epoch the epoch of this instance
 * @param clock the source of time
 * @param grants decides which grants reach the application
 * @param check makes sure that the store is at this epoch, if it can remember one; a new
 * connection asks again, as a new process would
 */
record EpochConnection(BackendConnection delegate, TokenEpoch epoch, LockClock clock, EpochGrants grants,
		@Nullable TokenEpochCheck check) implements BackendConnection {

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
		return target.keys().contains(TokenEpochBackend.KEY) ? new ReservedKey()
				: new EpochContender(this.delegate.contend(target, wakeUp), this.grants, this.check, this.clock);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return this.delegate.wakesContenders(target);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return this.delegate.renew(renewals.stream()
			.map((renewal) -> new Renewal(this.epoch.toStore(renewal.grant()), renewal.ttl()))
			.toList());
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return this.delegate.release(this.epoch.toStore(grant), cooldown);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown, Duration patience) {
		return this.delegate.release(this.epoch.toStore(grant), cooldown, patience);
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return this.delegate.abandon(orphans);
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return this.delegate.find(key).thenApply((info) -> info.map(this.epoch::toApplication));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return this.delegate.list(next, limit)
			.thenApply((page) -> new LockPage(toApplication(page.locks()), page.next()));
	}

	private List<LockInfo> toApplication(List<LockInfo> locks) {
		return locks.stream()
			.filter((info) -> !info.key().equals(TokenEpochBackend.KEY))
			.map(this.epoch::toApplication)
			.toList();
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
		return this.delegate.forceRelease(key, cooldown);
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	/**
	 * Refuses the key of the epoch.
	 */
	private static final class ReservedKey implements Contender {

		@Override
		public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
			return CompletableFuture.completedStage(new AttemptOutcome.Unavailable(new InvalidLockRequestException(
					"'" + TokenEpochBackend.KEY + "' can't be locked: stores keep their token epoch under this key"),
					false));
		}

		@Override
		public void withdraw() {
		}

	}

}
