package io.distributedlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.SessionValidity;
import io.distributedlock.spi.TokenRange;

/**
 * Stores locks in memory, for the {@link LocalLockBackend}s of one JVM whose locks
 * exclude each other.
 * <p>
 * A key that is free and has no waiters is forgotten, except for its tick, which is kept
 * for 24 hours. Tokens come from one counter for all keys, which starts at the
 * microseconds since 1970. They grow for the life of the store, and also across a restart
 * of the JVM unless the wall clock was set back.
 *
 * @since 0.1.0
 */
public final class LocalStore {

	private final LockClock clock;

	// Guards every mutable field of the store and of its locks. Held for a few operations
	// on maps. Waiters are woken and losses reported after its release, since both may
	// call the store again.
	private final ReentrantLock guard = new ReentrantLock();

	private final Map<String, LocalLock> locks = new HashMap<>();

	// Locks without waiters, sorted by the time from which they can be forgotten.
	private final TreeSet<LocalLock> due = new TreeSet<>();

	private long lastToken;

	/**
	 * Create an empty store.
	 * @param clock the clock by which leases expire
	 */
	public LocalStore(LockClock clock) {
		this.clock = clock;
		this.lastToken = clock.wallMillis() * 1_000;
	}

	AttemptOutcome attempt(LocalContender contender, LeaseRequest request) {
		long sentAt = contender.client().clock().nanoTime();
		return change(contender.target(), (locks, change) -> {
			AttemptOutcome outcome = attempt(locks, contender, request, sentAt, change.now());
			for (LocalLock lock : locks) {
				if (outcome instanceof AttemptOutcome.Busy busy && request.waiting() && !contender.isWithdrawn()) {
					remember(lock, contender, busy, change.now());
				}
				else {
					forget(lock, contender, change);
				}
			}
			return outcome;
		});
	}

	private AttemptOutcome attempt(LocalLock[] locks, LocalContender contender, LeaseRequest request, long sentAt,
			long now) {
		LockMode mode = contender.target().mode();
		long until = now + request.ttl().toNanos();
		if (areHeld(locks, request.ownerId(), now)) {
			// The same attempt was repeated: it keeps its grant.
			LocalLease[] held = new LocalLease[locks.length];
			for (int i = 0; i < locks.length; i++) {
				held[i] = Objects.requireNonNull(locks[i].held(request.ownerId(), now));
				locks[i].lengthen(held[i], until);
			}
			return granted(contender, held, request, sentAt);
		}
		LocalLock ticking = locks[locks.length - 1];
		Instant tick = (request.tick() != null) ? request.tick().truncatedTo(ChronoUnit.MILLIS) : null;
		Instant done = ticking.tickNotBefore(tick);
		if (done != null) {
			return new AttemptOutcome.Done(done);
		}
		long rest = rest(locks, mode, request, now);
		if (rest > 0) {
			return new AttemptOutcome.Busy(Duration.ofNanos(rest), Duration.ofNanos(rest));
		}
		LocalLease[] leases = new LocalLease[locks.length];
		for (int i = 0; i < locks.length; i++) {
			TokenRange tokens = new TokenRange(this.lastToken + 1, request.span());
			this.lastToken = tokens.last();
			leases[i] = new LocalLease(request.ownerId(), contender.client(), tokens, now, until);
			locks[i].grant(mode, leases[i], now);
		}
		ticking.keepTick(tick, now);
		return granted(contender, leases, request, sentAt);
	}

	private static boolean areHeld(LocalLock[] locks, OwnerId ownerId, long now) {
		for (LocalLock lock : locks) {
			if (lock.held(ownerId, now) == null) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Return after how many nanoseconds all locks may be granted.
	 */
	private static long rest(LocalLock[] locks, LockMode mode, LeaseRequest request, long now) {
		long longest = 0;
		for (LocalLock lock : locks) {
			longest = Math.max(longest, lock.busyUntil(mode, request.permits(), now) - now);
		}
		return longest;
	}

	private static AttemptOutcome granted(LocalContender contender, LocalLease[] leases, LeaseRequest request,
			long sentAt) {
		List<TokenRange> tokens = (leases.length == 1) ? List.of(leases[0].tokens())
				: Arrays.stream(leases).map(LocalLease::tokens).toList();
		return new AttemptOutcome.Granted(new LeaseGrant(contender.target(), request.ownerId(), tokens,
				LockClock.validUntil(sentAt, request.ttl()), validity(leases)));
	}

	private static SessionValidity validity(LocalLease[] leases) {
		if (leases.length == 1) {
			return leases[0].validity();
		}
		List<SessionValidity> validities = Arrays.stream(leases).map(LocalLease::validity).toList();
		return (now) -> validities.stream().mapToLong((each) -> each.nanosLeft(now)).min().orElse(0);
	}

	/**
	 * Remember a waiter. If it is exclusive and has met a group, it closes the door.
	 */
	private static void remember(LocalLock lock, LocalContender contender, AttemptOutcome.Busy busy, long now) {
		if (!contender.target().isGroup() && lock.isHeldByGroup(now)) {
			lock.waiters().addAndCloseDoor(contender, now + busy.pollAfter().toNanos());
		}
		else {
			lock.waiters().add(contender, now);
		}
	}

	/**
	 * Forget a contender that no longer waits. Those that found the door closed by it are
	 * woken.
	 */
	private static void forget(LocalLock lock, LocalContender contender, Change change) {
		if (lock.waiters().remove(contender, change.now())) {
			lock.waiters().wake(change.after());
		}
	}

	void withdraw(LocalContender contender) {
		change(contender.target(), (locks, change) -> {
			for (LocalLock lock : locks) {
				forget(lock, contender, change);
			}
			return true;
		});
	}

	void forgetWaitersOf(LocalStoreConnection client) {
		change((change) -> {
			for (LocalLock lock : List.copyOf(this.locks.values())) {
				if (lock.waiters().removeAllOf(client, change.now())) {
					lock.waiters().wake(change.after());
				}
				settle(lock);
			}
			return true;
		});
	}

	boolean renew(LeaseGrant grant, Duration ttl) {
		return changeHeld(grant, (lock, lease, change) -> lock.lengthen(lease, change.now() + ttl.toNanos()));
	}

	boolean release(LeaseGrant grant, Duration cooldown) {
		return changeHeld(grant, (lock, lease, change) -> lock.release(lease, change.now() + cooldown.toNanos(),
				change.now(), change.after()));
	}

	/**
	 * Change what is held of a grant.
	 * @return whether all of it is held
	 */
	private boolean changeHeld(LeaseGrant grant, LeaseChange action) {
		return change(grant.target(), (locks, change) -> {
			boolean all = true;
			boolean wanted = false;
			LocalStoreConnection client = null;
			for (int i = 0; i < locks.length; i++) {
				LocalLock lock = locks[i];
				LocalLease lease = lock.held(grant.ownerId(), change.now());
				if (lease == null || !lease.tokens().equals(grant.tokens().get(i))) {
					all = false;
					continue;
				}
				client = lease.client();
				wanted |= lock.isWantedBeside(client, change.now());
				action.apply(lock, lease, change);
			}
			if (wanted && client != null) {
				LocalStoreConnection holder = client;
				change.after().add(0, () -> holder.contended(grant));
			}
			return all;
		});
	}

	void abandon(Orphan orphan) {
		change(orphan.target(), (locks, change) -> {
			for (LocalLock lock : locks) {
				LocalLease lease = lock.held(orphan.ownerId(), change.now());
				if (lease != null) {
					lock.release(lease, change.now(), change.now(), change.after());
				}
			}
			return true;
		});
	}

	boolean forceRelease(String key, Duration cooldown) {
		return dispossess(key, cooldown, (lease) -> {
		});
	}

	boolean expire(String key) {
		return dispossess(key, Duration.ZERO, LocalLease::expire);
	}

	private boolean dispossess(String key, Duration cooldown, Consumer<LocalLease> before) {
		return change(key, (lock, change) -> {
			List<LocalLease> leases = lock.held(change.now());
			if (leases.isEmpty()) {
				return false;
			}
			for (LocalLease lease : leases) {
				before.accept(lease);
				change.after().add(() -> lease.client().lost(lease.ownerId()));
			}
			lock.vacate(change.now() + cooldown.toNanos(), change.after());
			return true;
		});
	}

	boolean isWaitedFor(String key) {
		return change(key, (lock, change) -> !lock.waiters().isEmpty());
	}

	Optional<LockInfo> find(String key) {
		return change(key, (lock, change) -> describe(lock, change.now()).findFirst());
	}

	List<LockInfo> list() {
		return change(
				(change) -> this.locks.values().stream().flatMap((lock) -> describe(lock, change.now())).toList());
	}

	/**
	 * Return the number of keys that the store remembers.
	 * @return the number
	 */
	int size() {
		return change((change) -> this.locks.size());
	}

	private static Stream<LockInfo> describe(LocalLock lock, long now) {
		return lock.held(now)
			.stream()
			.map((lease) -> new LockInfo(lock.key(), lease.client().instanceId(), lock.mode(), lease.tokens().last(),
					Duration.ofNanos(now - lease.grantedAt()), lease.rest(now)));
	}

	/**
	 * Change one lock. It is forgotten afterwards if it is free, has no waiters and no
	 * tick to keep.
	 */
	private <T> T change(String key, BiFunction<LocalLock, Change, T> action) {
		return change((change) -> {
			LocalLock lock = lock(key, change);
			T result = action.apply(lock, change);
			settle(lock);
			return result;
		});
	}

	/**
	 * Change the locks of a target, in the order of its keys.
	 */
	private <T> T change(LockTarget target, BiFunction<LocalLock[], Change, T> action) {
		return change((change) -> {
			LocalLock[] locks = new LocalLock[target.keys().size()];
			for (int i = 0; i < locks.length; i++) {
				locks[i] = lock(target.keys().get(i), change);
			}
			T result = action.apply(locks, change);
			for (LocalLock lock : locks) {
				settle(lock);
			}
			return result;
		});
	}

	private LocalLock lock(String key, Change change) {
		return this.locks.computeIfAbsent(key, (name) -> new LocalLock(name, change.now()));
	}

	/**
	 * Schedule when a lock that has changed can be forgotten.
	 */
	private void settle(LocalLock lock) {
		this.due.remove(lock);
		if (lock.waiters().isEmpty()) {
			lock.fixDue();
			this.due.add(lock);
		}
	}

	private void forgetDue(long now) {
		while (!this.due.isEmpty() && this.due.first().isDue(now)) {
			LocalLock lock = this.due.pollFirst();
			this.locks.remove(lock.key());
		}
	}

	private <T> T change(Function<Change, T> action) {
		T result;
		Change change;
		this.guard.lock();
		try {
			// The time is read under the guard, so that it never goes back between two
			// changes.
			change = new Change(this.clock.nanoTime(), new ArrayList<>(1));
			forgetDue(change.now());
			result = action.apply(change);
			forgetDue(change.now());
		}
		finally {
			this.guard.unlock();
		}
		change.after().forEach(Runnable::run);
		return result;
	}

	/**
	 * A change that is made under the guard.
	 *
	 * @param now the monotonic time
	 * @param after the tasks to run after the release of the guard
	 */
	private record Change(long now, List<Runnable> after) {
	}

	/**
	 * Changes a lease that is held.
	 */
	private interface LeaseChange {

		void apply(LocalLock lock, LocalLease lease, Change change);

	}

}
