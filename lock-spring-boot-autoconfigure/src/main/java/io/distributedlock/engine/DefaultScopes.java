package io.distributedlock.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.Scopes;

/**
 * Default {@link Scopes}, based on the engines of the stores.
 *
 * @since 0.1.0
 */
public final class DefaultScopes implements Scopes {

	private final LockEngines engines;

	private final LeaseRetention retention;

	// Confined to its thread, including map and entries. Absent while no scope is open.
	@SuppressWarnings("ThreadLocalUsage") // one per application
	private final ThreadLocal<@Nullable Map<Held, OpenScope>> open = new ThreadLocal<>();

	/**
	 * Create scopes for one store.
	 * @param engine acquires the leases
	 * @param retention keeps leases beyond the end of their body
	 */
	public DefaultScopes(LockEngine engine, LeaseRetention retention) {
		this(LockEngines.of(engine), retention);
	}

	/**
	 * Create scopes.
	 * @param engines acquire the leases
	 * @param retention keeps leases beyond the end of their body
	 */
	public DefaultScopes(LockEngines engines, LeaseRetention retention) {
		this.engines = engines;
		this.retention = retention;
	}

	@Override
	public Scope open(LockRequest request) {
		return open(request, (engine) -> engine.settings().waitTime());
	}

	@Override
	public Optional<Scope> tryOpen(LockRequest request) {
		try {
			return Optional.of(open(request, (engine) -> Duration.ZERO));
		}
		catch (LockBusyException | TickDoneException ex) {
			return Optional.empty();
		}
	}

	private Scope open(LockRequest request, Function<LockEngine, Duration> defaultWaitTime) {
		LockRequest prepared = this.engines.prepare(request);
		LockEngine engine = this.engines.engineFor(prepared);
		Held held = new Held(engine, prepared.getKeys());
		OpenScope outer = find(held);
		if (outer != null) {
			return outer.enter(prepared);
		}
		this.retention.opening(prepared);
		ManagedLease lease = engine.acquirer().acquire(prepared, defaultWaitTime.apply(engine));
		try {
			return open(held, lease);
		}
		catch (Throwable ex) {
			lease.disown();
			throw ex;
		}
	}

	private Scope open(Held held, ManagedLease lease) {
		OpenScope scope = new OpenScope(held, lease);
		Map<Held, OpenScope> scopes = this.open.get();
		if (scopes == null) {
			scopes = new HashMap<>();
			this.open.set(scopes);
		}
		scopes.put(held, scope);
		return new Entry(scope, lease, null);
	}

	@Override
	public String backendOf(LockRequest request) {
		String named = request.getBackend();
		return (named != null) ? named : this.engines.standard().name();
	}

	@Override
	public List<Lease> leasesThatMatter() {
		Map<Held, OpenScope> scopes = this.open.get();
		if (scopes == null) {
			return List.of();
		}
		return scopes.values()
			.stream()
			.filter((scope) -> scope.caring > 0 && !scope.ended)
			.<Lease>map((scope) -> scope.lease)
			.toList();
	}

	@Override
	public boolean areStopped() {
		// Engines are stopped one after the other.
		return this.engines.all().stream().anyMatch(LockEngine::isStopped);
	}

	private @Nullable OpenScope find(Held held) {
		Map<Held, OpenScope> scopes = this.open.get();
		OpenScope scope = (scopes != null) ? scopes.get(held) : null;
		if (scope == null && scopes != null) {
			scope = findCovering(held, scopes);
		}
		if (scope != null && scope.ended) {
			// A transaction completed on another thread, which could not clean up the
			// state of this one.
			forget(scope);
			return null;
		}
		return scope;
	}

	/**
	 * Find a scope that has all wanted keys among others. A request for some keys that
	 * this thread has and others would wait for itself.
	 */
	private static @Nullable OpenScope findCovering(Held wanted, Map<Held, OpenScope> scopes) {
		for (OpenScope scope : scopes.values()) {
			List<String> keys = scope.held.keys;
			if (scope.held.engine != wanted.engine || scope.ended || Collections.disjoint(keys, wanted.keys)) {
				continue;
			}
			if (keys.containsAll(wanted.keys)) {
				return scope;
			}
			throw new InvalidLockRequestException("The lock on " + wanted.keys + " was requested inside of a lock on "
					+ keys + ": a nested request can't add keys to some that its thread holds, since it would wait for"
					+ " itself. Take all of them in the outer call");
		}
		return null;
	}

	private void forget(OpenScope scope) {
		scope.binding.close();
		Map<Held, OpenScope> scopes = this.open.get();
		if (scopes != null && scopes.remove(scope.held, scope) && scopes.isEmpty()) {
			this.open.remove();
		}
	}

	/**
	 * Identifies the lock of a scope. Equal keys at different stores are different locks.
	 */
	private record Held(LockEngine engine, List<String> keys) {
	}

	/**
	 * A thread's scope from the outermost entry to the release. Confined to the thread,
	 * except for {@code ended}, because a transaction may complete on another thread.
	 */
	private final class OpenScope {

		private final Held held;

		private final ManagedLease lease;

		private final LockContext.Binding binding;

		private int depth = 1;

		// How many of the entries do not tolerate a loss.
		private int caring = 1;

		private boolean kept;

		private volatile boolean ended;

		OpenScope(Held held, ManagedLease lease) {
			this.held = held;
			this.lease = lease;
			this.binding = LockContext.bind(lease);
		}

		Scope enter(LockRequest request) {
			LockMode mode = this.lease.mode();
			if (request.getMode() != mode) {
				throw new InvalidLockRequestException("The lock on " + request.getKeys() + " is held " + mode
						+ " by this thread, and a nested call can't enter it " + request.getMode());
			}
			if (!this.lease.isHeld()) {
				throw this.lease.lostException();
			}
			if (request.getMinHold() != null) {
				this.lease.raiseMinHold(request.getMinHold());
			}
			this.depth++;
			this.caring++;
			boolean all = request.getKeys().size() == this.held.keys.size();
			Lease seen = all ? this.lease : new CoveredLease(this.lease, request.getKeys());
			return new Entry(this, seen, LockContext.bind(seen));
		}

		void ignoreLoss() {
			this.caring--;
		}

		Optional<LeaseLostException> leave(boolean lossMatters) {
			this.depth--;
			this.caring -= lossMatters ? 1 : 0;
			if (this.depth > 0 || this.kept) {
				return lost(this.lease.isHeld());
			}
			LeaseRetention retention = DefaultScopes.this.retention;
			this.kept = lossMatters ? retention.keep(this.lease, this::letGo)
					: retention.keepIgnoringLoss(this.lease, this::letGo);
			return lost(this.kept ? this.lease.isHeld() : end());
		}

		/**
		 * Called when the lease no longer has to be kept.
		 */
		private void letGo() {
			this.kept = false;
			if (this.depth == 0) {
				end();
			}
		}

		private boolean end() {
			boolean released = false;
			try {
				this.ended = true;
				forget(this);
				boolean stood = this.lease.release();
				released = true;
				return stood || !this.lease.isLost();
			}
			finally {
				if (!released) {
					this.lease.disown();
				}
			}
		}

		private Optional<LeaseLostException> lost(boolean held) {
			return held ? Optional.empty() : Optional.of(this.lease.lostException());
		}

	}

	/**
	 * One entry into an open scope. Leaving it a second time has no effect.
	 */
	private static final class Entry implements Scope {

		private final OpenScope scope;

		private final Lease lease;

		// Set if the scope was already open, because this entry is the innermost one
		// meanwhile.
		private final LockContext.@Nullable Binding binding;

		private boolean ignoresLoss;

		private boolean left;

		Entry(OpenScope scope, Lease lease, LockContext.@Nullable Binding binding) {
			this.scope = scope;
			this.lease = lease;
			this.binding = binding;
		}

		@Override
		public Lease lease() {
			return this.lease;
		}

		@Override
		public void cooldown(Duration cooldown) {
			this.scope.lease.raiseCooldown(cooldown);
		}

		@Override
		public LockObserver.BodyScope openBody() {
			return (this.binding == null) ? this.scope.lease.openScope() : LockObserver.BodyScope.NONE;
		}

		@Override
		public void ignoreLoss() {
			if (!this.ignoresLoss && !this.left) {
				this.ignoresLoss = true;
				this.scope.ignoreLoss();
			}
		}

		@Override
		public Optional<LeaseLostException> close() {
			if (this.left) {
				return Optional.empty();
			}
			this.left = true;
			if (this.binding != null) {
				this.binding.close();
			}
			return this.scope.leave(!this.ignoresLoss);
		}

	}

}
