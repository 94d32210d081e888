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
 * Adds the epoch of this instance to the tokens of a store, and lets grants pass only
 * while the store is known to be at that epoch. The store only sees its own tokens.
 * <p>
 * For one key, the tokens of a store grow strictly, even while the epoch is raised
 * instance by instance on a store in use. Instances with an earlier epoch receive their
 * last grant before the first instance with the later epoch receives one. This holds as
 * long as the store remembers its epoch. A store that loses its data does not know the
 * epoch until the next question, within {@link TokenEpochCheck#VALIDITY}. Mutual
 * exclusion does not depend on epochs, because instances of all epochs use the same keys.
 * <p>
 * A store without ticks can't remember an epoch, so instances with different epochs are
 * not prevented from using it at the same time.
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
	 * Decorate a store with the epoch of this instance.
	 * @param store the name of the store in errors
	 * @param backend the store
	 * @param epoch the epoch
	 * @param clock the source of time
	 * @param shared whether other processes use the store, so that all have to agree on
	 * one epoch, which requires a store with ticks
	 * @return the store with the epoch, or the store itself if no decoration is needed
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

			@Override
			public void quarantineBegun(Duration remaining) {
				listener.quarantineBegun(remaining);
			}

			@Override
			public void quarantineEnded() {
				listener.quarantineEnded();
			}

		});
		TokenEpochCheck check = (this.wait != null)
				? new TokenEpochCheck(this.store, connection, this.epoch, this.clock, this.wait) : null;
		return new EpochConnection(connection, this.epoch, this.clock,
				new EpochGrants(this.store, connection, this.epoch, this.clock, check), check);
	}

}
