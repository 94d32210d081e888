package io.distributedlock.epoch;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

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

	private final String store;

	private final LockBackend delegate;

	private final TokenEpoch epoch;

	private final LockClock clock;

	private final @Nullable Duration wait;

	private TokenEpochBackend(String store, LockBackend delegate, TokenEpoch epoch, LockClock clock,
			@Nullable Duration wait) {
		this.store = store;
		this.delegate = delegate;
		this.epoch = epoch;
		this.clock = clock;
		this.wait = wait;
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
		return new TokenEpochBackend(store, backend, epoch, clock, wait);
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
	public BackendConnection connect(BackendListener listener) {
		BackendConnection connection = this.delegate.connect(new BackendListener() {

			@Override
			public void leaseLost(OwnerId ownerId) {
				listener.leaseLost(ownerId);
			}

			@Override
			public void contended(LeaseGrant grant, Duration pollAfter) {
				listener.contended(TokenEpochBackend.this.epoch.toApplication(grant), pollAfter);
			}

		});
		TokenEpochCheck check = (this.wait != null)
				? new TokenEpochCheck(this.store, connection, this.epoch, this.clock, this.wait) : null;
		return new EpochConnection(connection, this.epoch, this.clock,
				new EpochGrants(this.store, connection, this.epoch, this.clock, check), check);
	}

}
