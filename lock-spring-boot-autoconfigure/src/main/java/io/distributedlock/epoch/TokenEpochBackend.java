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
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Gives the tokens of a store the epoch of this instance, and has locks granted only
 * while the store is known to be at that epoch. The store sees its own tokens only.
 * <p>
 * Of one key, the tokens that a store grants grow strictly, also while an operator raises
 * the epoch step by step on a store that is in use: an instance with an earlier epoch has
 * no lock granted any more before the first one with the later epoch has. This holds for
 * as long as the store remembers which epoch it is at; a store that loses its data
 * forgets it until the next question, within {@link TokenEpochCheck#VALIDITY}. Exclusion
 * does not depend on epochs: instances of all epochs use the same keys.
 * <p>
 * Without ticks a store can't remember an epoch, and nothing keeps instances with
 * different epochs apart.
 *
 * @since 0.1.0
 */
public final class TokenEpochBackend implements LockBackend {

	/**
	 * The key under which a store remembers its epoch. Applications can't lock it.
	 */
	public static final String KEY = "lock-token-epoch";

	private final LockBackend delegate;

	private final TokenEpoch epoch;

	private final EpochGrants grants;

	private final LockClock clock;

	private final @Nullable TokenEpochCheck check;

	private TokenEpochBackend(String store, LockBackend delegate, TokenEpoch epoch, LockClock clock,
			@Nullable TokenEpochCheck check) {
		this.delegate = delegate;
		this.epoch = epoch;
		this.grants = new EpochGrants(store, delegate, epoch, clock, check);
		this.clock = clock;
		this.check = check;
	}

	/**
	 * Put the epoch of this instance on a store.
	 * @param store the name by which errors know the store
	 * @param backend the store
	 * @param epoch the epoch
	 * @param clock the time
	 * @param shared whether other processes use the store, so that all have to be at one
	 * epoch; those of a store without ticks can't find out
	 * @return the store with the epoch, or the store itself if there is nothing to do
	 */
	public static LockBackend of(String store, LockBackend backend, TokenEpoch epoch, LockClock clock, boolean shared) {
		if (shared && backend.traits().ticks()) {
			return checked(store, backend, epoch, clock, TokenEpochCheck.WAIT);
		}
		return (epoch.value() > 0) ? new TokenEpochBackend(store, backend, epoch, clock, null) : backend;
	}

	static TokenEpochBackend checked(String store, LockBackend backend, TokenEpoch epoch, LockClock clock,
			Duration wait) {
		return new TokenEpochBackend(store, backend, epoch, clock,
				new TokenEpochCheck(store, backend, epoch, clock, wait));
	}

	/**
	 * Return the store itself.
	 * @return the backend whose tokens have no epoch
	 */
	public LockBackend delegate() {
		return this.delegate;
	}

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public @Nullable String address() {
		return this.delegate.address();
	}

	@Override
	public BackendTraits traits() {
		return this.delegate.traits();
	}

	@Override
	public void start(LossListener losses) {
		if (this.check != null) {
			this.check.reset();
		}
		this.delegate.start(new LossListener() {

			@Override
			public void lost(OwnerId ownerId) {
				losses.lost(ownerId);
			}

			@Override
			public void wanted(LeaseGrant grant, Duration pollAfter) {
				losses.wanted(TokenEpochBackend.this.epoch.toApplication(grant), pollAfter);
			}

		});
	}

	@Override
	public void stop() {
		this.delegate.stop();
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		return target.keys().contains(KEY) ? new ReservedKey()
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
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return this.delegate.abandon(orphans);
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return this.delegate.find(key).thenApply((info) -> info.map(this.epoch::toApplication));
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		return this.delegate.list()
			.thenApply((locks) -> locks.stream()
				.filter((info) -> !info.key().equals(KEY))
				.map(this.epoch::toApplication)
				.toList());
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return this.delegate.forceRelease(key, cooldown);
	}

	/**
	 * Refuses the key of the epoch.
	 */
	private static final class ReservedKey implements Contender {

		@Override
		public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
			return CompletableFuture.completedStage(
					new AttemptOutcome.Unavailable(
							new InvalidLockRequestException(
									"'" + KEY + "' can't be locked: stores keep their token epoch under this key"),
							false));
		}

		@Override
		public void withdraw() {
		}

	}

}
