package io.distributedlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Orphan;
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
		return change(contender.target().key(), (lock, change) -> {
			AttemptOutcome outcome = attempt(lock, contender, request, sentAt, change.now());
			if (outcome instanceof AttemptOutcome.Busy && request.waiting() && !contender.isWithdrawn()) {
				lock.waiters().add(contender);
			}
			else {
				lock.waiters().remove(contender);
			}
			return outcome;
		});
	}

	private AttemptOutcome attempt(LocalLock lock, LocalContender contender, LeaseRequest request, long sentAt,
			long now) {
		long until = now + request.ttl().toNanos();
		LocalLock.Holder holder = lock.holder(now);
		if (holder != null && holder.ownerId().equals(request.ownerId())) {
			// The same attempt was repeated: it keeps its grant.
			lock.lengthen(until);
			return granted(contender, holder, request, sentAt);
		}
		Instant tick = (request.tick() != null) ? request.tick().truncatedTo(ChronoUnit.MILLIS) : null;
		Instant done = lock.tickNotBefore(tick);
		if (done != null) {
			return new AttemptOutcome.Done(done);
		}
		if (!lock.isFree(now)) {
			return new AttemptOutcome.Busy(lock.rest(now), lock.rest(now));
		}
		TokenRange tokens = new TokenRange(this.lastToken + 1, request.span());
		this.lastToken = tokens.last();
		LocalLock.Holder next = new LocalLock.Holder(request.ownerId(), contender.client(), tokens, now,
				new AtomicBoolean());
		lock.grant(next, until, tick);
		return granted(contender, next, request, sentAt);
	}

	private AttemptOutcome granted(LocalContender contender, LocalLock.Holder holder, LeaseRequest request,
			long sentAt) {
		return new AttemptOutcome.Granted(new LeaseGrant(contender.target(), holder.ownerId(), List.of(holder.tokens()),
				LockClock.validUntil(sentAt, request.ttl()), holder.validity()));
	}

	void withdraw(LocalContender contender) {
		change(contender.target().key(), (lock, change) -> lock.waiters().remove(contender));
	}

	void forgetWaitersOf(LocalStoreConnection client) {
		change((change) -> {
			for (LocalLock lock : List.copyOf(this.locks.values())) {
				lock.waiters().removeIf((waiter) -> waiter.client() == client);
				settle(lock);
			}
			return true;
		});
	}

	boolean renew(LeaseGrant grant, Duration ttl) {
		return changeHeld(grant, (lock, change) -> lock.lengthen(change.now() + ttl.toNanos()));
	}

	boolean release(LeaseGrant grant, Duration cooldown) {
		return changeHeld(grant, (lock, change) -> lock.vacate(change.now() + cooldown.toNanos(), change.after()));
	}

	private boolean changeHeld(LeaseGrant grant, BiConsumer<LocalLock, Change> action) {
		return change(grant.target().key(), (lock, change) -> {
			LocalLock.Holder holder = lock.holder(change.now());
			if (holder == null || !holder.ownerId().equals(grant.ownerId()) || !holder.tokens().equals(grant.token())) {
				return false;
			}
			if (lock.hasWaitersBeside(holder.client())) {
				change.after().add(() -> holder.client().contended(grant));
			}
			action.accept(lock, change);
			return true;
		});
	}

	void abandon(Orphan orphan) {
		change(orphan.target().key(), (lock, change) -> {
			LocalLock.Holder holder = lock.holder(change.now());
			if (holder != null && holder.ownerId().equals(orphan.ownerId())) {
				lock.vacate(change.now(), change.after());
			}
			return true;
		});
	}

	boolean forceRelease(String key, Duration cooldown) {
		return dispossess(key, cooldown, (holder) -> {
		});
	}

	boolean expire(String key) {
		// The holder can find the loss before another client can take the lock, as with
		// an expiry by time.
		return dispossess(key, Duration.ZERO, (holder) -> holder.expired().set(true));
	}

	private boolean dispossess(String key, Duration cooldown, Consumer<LocalLock.Holder> before) {
		return change(key, (lock, change) -> {
			LocalLock.Holder holder = lock.holder(change.now());
			if (holder == null) {
				return false;
			}
			before.accept(holder);
			change.after().add(() -> holder.client().lost(holder.ownerId()));
			lock.vacate(change.now() + cooldown.toNanos(), change.after());
			return true;
		});
	}

	boolean isWaitedFor(String key) {
		return change(key, (lock, change) -> !lock.waiters().isEmpty());
	}

	Optional<LockInfo> find(String key) {
		return change(key, (lock, change) -> describe(lock, change.now()));
	}

	List<LockInfo> list() {
		return change((change) -> this.locks.values()
			.stream()
			.flatMap((lock) -> describe(lock, change.now()).stream())
			.toList());
	}

	/**
	 * Return the number of keys that the store remembers.
	 * @return the number
	 */
	int size() {
		return change((change) -> this.locks.size());
	}

	private Optional<LockInfo> describe(LocalLock lock, long now) {
		return Optional.ofNullable(lock.holder(now))
			.map((holder) -> new LockInfo(lock.key(), holder.client().instanceId(), LockMode.EXCLUSIVE,
					holder.tokens().last(), Duration.ofNanos(now - holder.grantedAt()), lock.rest(now)));
	}

	/**
	 * Change one lock. It is forgotten afterwards if it is free, has no waiters and no
	 * tick to keep.
	 */
	private <T> T change(String key, BiFunction<LocalLock, Change, T> action) {
		return change((change) -> {
			LocalLock lock = this.locks.computeIfAbsent(key, (name) -> new LocalLock(name, change.now()));
			T result = action.apply(lock, change);
			settle(lock);
			return result;
		});
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

}
