package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * Triggers in tests what happens to an application's locks from outside: another instance
 * holds a key, a lease expires, an operator takes a lease away, the store can't be
 * reached. A bean with {@code lock.backend=local}.
 * <p>
 * The application takes its usual path through engine and store, without any simulation.
 * A lease that {@link #expire expires} is lost as if its holder had stood still for
 * longer than the TTL, with listeners, events, exceptions and rollbacks, and the next
 * fencing token is greater. Keys are complete keys, as returned by
 * {@link io.distributedlock.Lease#key()}. Safe for use by several threads. Holds and
 * outages of a test remain for the next test that shares the context, until
 * {@link #reset()}.
 *
 * @since 0.1.0
 */
public final class LocalLocks {

	private static final Duration LONGER_THAN_ANY_TEST = Duration.ofDays(1);

	private final LocalLockBackend application;

	private final BackendConnection other;

	// Both are guarded by this object's monitor. The outages determine whether the
	// application reaches the store.
	private final Set<Hold> holds = new HashSet<>();

	private final Set<Outage> outages = new HashSet<>();

	/**
	 * Create an instance for a client whose tokens may be changed on the way to the
	 * application.
	 * @param application the client whose leases are tested
	 * @param decoration the application's decoration of its client, which is applied to
	 * the client of other instances too
	 */
	public LocalLocks(LocalLockBackend application, UnaryOperator<LockBackend> decoration) {
		this.application = application;
		this.other = decoration.apply(application.anotherClient("another instance")).connect(this::lost);
	}

	/**
	 * Hold a key as another instance of the application would, until the hold is closed.
	 * @param key the key
	 * @return the hold
	 * @throws LockBusyException if the key is held, by the application or by another hold
	 * @throws io.distributedlock.InvalidLockRequestException if the key is not valid
	 */
	public Hold hold(String key) {
		return hold(LockRequest.of(key));
	}

	/**
	 * Hold a key as another instance of the application would with a request, until the
	 * hold is closed. A shared request holds the key together with shared leases of the
	 * application, and a request with permits takes one of them.
	 * @param request the key, and how it is held; nothing else of it has an effect
	 * @return the hold
	 * @throws LockBusyException if the key can't be held this way now
	 * @throws IllegalArgumentException if the request has several keys
	 */
	public Hold hold(LockRequest request) {
		LockTarget target = new LockTarget(request.getKeys(), request.getMode());
		target.requireOneKey(this.application.name());
		String key = target.key();
		int permits = Objects.requireNonNullElse(request.getPermits(), 0);
		LeaseRequest attempt = new LeaseRequest(OwnerId.random(), LONGER_THAN_ANY_TEST, 1, permits, null, false,
				LONGER_THAN_ANY_TEST, Duration.ZERO);
		synchronized (this) {
			Contender contender = this.other.contend(target, () -> {
			});
			AttemptOutcome outcome = contender.attempt(attempt).toCompletableFuture().join();
			if (outcome instanceof AttemptOutcome.Granted granted) {
				Hold hold = new Hold(granted.grant());
				this.holds.add(hold);
				return hold;
			}
			throw new LockBusyException(key, "'" + key + "' can't be held by another instance now: " + outcome,
					(outcome instanceof AttemptOutcome.Busy busy) ? busy.retryAfter() : null);
		}
	}

	/**
	 * Let the lease on a key expire now, as if its holder had stood still for longer than
	 * its TTL. When this returns, the lease is no longer held, its reason is
	 * {@link io.distributedlock.LossReason#EXPIRED}, and waiters can get the lock. If the
	 * key is shared or held with permits, all leases on it expire, those of holds too.
	 * @param key the key
	 * @return whether the key was held
	 */
	public boolean expire(String key) {
		return this.application.expire(key);
	}

	/**
	 * Take the lease on a key away, as {@link io.distributedlock.Locks#forceRelease} does
	 * for an operator, but without the time for which that keeps the key busy. When this
	 * returns, the lease is no longer held, its reason is
	 * {@link io.distributedlock.LossReason#TAKEN}, and waiters can get the lock. If the
	 * key is shared or held with permits, all leases on it are taken away, those of holds
	 * too.
	 * @param key the key
	 * @return whether the key was held
	 */
	public boolean takeAway(String key) {
		return this.other.forceRelease(key, Duration.ZERO).toCompletableFuture().join();
	}

	/**
	 * Cut the application off from the store until the outage is closed. Its requests
	 * fail with {@link io.distributedlock.LockUnavailableException}, and leases whose TTL
	 * passes meanwhile are lost. Holds of this object remain.
	 * @return the outage
	 */
	public Outage makeUnavailable() {
		synchronized (this) {
			Outage outage = new Outage();
			this.outages.add(outage);
			this.application.setReachable(false);
			return outage;
		}
	}

	/**
	 * Return whether a caller waits for a key, that is, has found it busy and is woken
	 * when the key is free. So a test need not guess how long the code under test takes
	 * to reach its lock.
	 * @param key the key
	 * @return whether a caller waits
	 */
	public boolean isWaitedFor(String key) {
		return this.application.isWaitedFor(key);
	}

	/**
	 * Close all holds and outages. Leases of the application are not affected.
	 */
	public void reset() {
		List<Hold> openHolds;
		List<Outage> openOutages;
		synchronized (this) {
			openHolds = new ArrayList<>(this.holds);
			openOutages = new ArrayList<>(this.outages);
		}
		openHolds.forEach(Hold::close);
		openOutages.forEach(Outage::close);
	}

	private synchronized void lost(OwnerId ownerId) {
		for (Hold hold : List.copyOf(this.holds)) {
			if (hold.grant.ownerId().equals(ownerId) && hold.end(State.LOST)) {
				this.holds.remove(hold);
			}
		}
	}

	private enum State {

		HELD, RELEASED, LOST

	}

	/**
	 * A key that is held as if by another instance.
	 */
	public final class Hold implements AutoCloseable {

		private final LeaseGrant grant;

		private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

		private Hold(LeaseGrant grant) {
			this.grant = grant;
		}

		/**
		 * Return the key.
		 * @return the key
		 */
		public String key() {
			return this.grant.target().key();
		}

		/**
		 * Return the fencing token that the other instance got.
		 * @return the token
		 */
		public long fencingToken() {
			return this.grant.token().first();
		}

		/**
		 * Return whether the key is still held by this object.
		 * @return whether it is held
		 */
		public boolean isHeld() {
			return this.state.get() == State.HELD;
		}

		/**
		 * Release the key. Has no effect if it was released or lost before.
		 */
		@Override
		public void close() {
			if (end(State.RELEASED)) {
				LocalLocks.this.other.release(this.grant, Duration.ZERO);
				synchronized (LocalLocks.this) {
					LocalLocks.this.holds.remove(this);
				}
			}
		}

		private boolean end(State how) {
			return this.state.compareAndSet(State.HELD, how);
		}

	}

	/**
	 * A time in which the application can't reach the store.
	 */
	public final class Outage implements AutoCloseable {

		private Outage() {
		}

		/**
		 * End this outage. The store can be reached when all outages have ended.
		 */
		@Override
		public void close() {
			synchronized (LocalLocks.this) {
				LocalLocks.this.outages.remove(this);
				LocalLocks.this.application.setReachable(LocalLocks.this.outages.isEmpty());
			}
		}

	}

}
