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
 * The locks of one JVM, shared by the {@link LocalLockBackend}s that are to lock each
 * other out.
 * <p>
 * Keeps nothing of a key that is free and that nobody waits for, but ticks for 24 hours.
 * Tokens come from one counter for all keys, which starts at the microseconds since 1970:
 * they grow for the life of the store, and over a restart of the JVM unless the wall
 * clock went back.
 *
 * @since 0.1.0
 */
public final class LocalStore {

	private final LockClock clock;

	// Guards every mutable field of the store and of its locks. Held for a few operations
	// on maps; wake-ups and news of a loss run after it was let go, since they may come
	// back with a call.
	private final ReentrantLock guard = new ReentrantLock();

	private final Map<String, LocalLock> locks = new HashMap<>();

	// Those that nobody waits for, by the time when nothing of them need be kept.
	private final TreeSet<LocalLock> due = new TreeSet<>();

	private long lastToken;

	/**
	 * Create an empty store.
	 * @param clock the clock on which leases run out
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
			// The same attempt was sent again: it has what it was granted.
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
		// The holder can know before any other client may have the lock, as when time
		// passes.
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
	 * Return of how many keys something is kept.
	 * @return how many
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
	 * Change one lock. One that is free, and of which nothing need be kept, is forgotten
	 * after that.
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
	 * Note when a lock that has changed can be forgotten.
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
	 * @param after is run after the guard was let go
	 */
	private record Change(long now, List<Runnable> after) {
	}

}
