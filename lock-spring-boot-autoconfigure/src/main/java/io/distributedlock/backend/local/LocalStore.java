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
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
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

	// Guards every mutable field of the store, of its locks and of their contenders. Held
	// for a few operations on maps; wake-ups and news of a loss run after it was let go,
	// since they may come back with a call.
	private final ReentrantLock guard = new ReentrantLock();

	private final Map<String, LocalLock> locks = new HashMap<>();

	// Those that nobody waits for, by the time when nothing of them need be kept.
	private final TreeSet<LocalLock> due = new TreeSet<>();

	private long lastToken;

	private long lastSerial;

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
		return change((now, after) -> {
			LocalLock lock = this.locks.computeIfAbsent(contender.target().key(),
					(key) -> new LocalLock(key, ++this.lastSerial, now));
			AttemptOutcome outcome = attempt(lock, contender, request, sentAt, now);
			if (outcome instanceof AttemptOutcome.Busy && request.waiting() && !contender.isWithdrawn()) {
				lock.addWaiter(contender);
			}
			else {
				lock.removeWaiter(contender);
			}
			settle(lock, now);
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
				new ForcedExpiry());
		lock.grant(next, until, tick);
		return granted(contender, next, request, sentAt);
	}

	private AttemptOutcome granted(LocalContender contender, LocalLock.Holder holder, LeaseRequest request,
			long sentAt) {
		return new AttemptOutcome.Granted(new LeaseGrant(contender.target(), holder.ownerId(), List.of(holder.tokens()),
				LockClock.validUntil(sentAt, request.ttl()), holder.expiry()));
	}

	void withdraw(LocalContender contender) {
		change((now, after) -> {
			contender.markWithdrawn();
			LocalLock lock = this.locks.get(contender.target().key());
			if (lock != null) {
				lock.removeWaiter(contender);
				settle(lock, now);
			}
			return true;
		});
	}

	void forgetWaitersOf(LocalStoreConnection client) {
		change((now, after) -> {
			for (LocalLock lock : List.copyOf(this.locks.values())) {
				lock.removeWaitersOf(client);
				settle(lock, now);
			}
			return true;
		});
	}

	boolean renew(LeaseGrant grant, Duration ttl) {
		return change((now, after) -> {
			LocalLock lock = heldBy(grant.target().key(), grant.ownerId(), grant.token(), now);
			if (lock == null) {
				return false;
			}
			lock.lengthen(now + ttl.toNanos());
			tellOfWaiters(lock, grant, now, after);
			settle(lock, now);
			return true;
		});
	}

	boolean release(LeaseGrant grant, Duration cooldown) {
		return change((now, after) -> {
			LocalLock lock = heldBy(grant.target().key(), grant.ownerId(), grant.token(), now);
			if (lock == null) {
				return false;
			}
			tellOfWaiters(lock, grant, now, after);
			vacate(lock, now + cooldown.toNanos(), now, after);
			return true;
		});
	}

	void abandon(Orphan orphan) {
		change((now, after) -> {
			LocalLock lock = heldBy(orphan.target().key(), orphan.ownerId(), null, now);
			if (lock != null) {
				vacate(lock, now, now, after);
			}
			return true;
		});
	}

	boolean forceRelease(String key, Duration cooldown) {
		return dispossess(key, cooldown, (holder) -> {
		});
	}

	boolean expire(String key) {
		// The holder can know before anybody else may have the lock, as when time passes.
		return dispossess(key, Duration.ZERO, (holder) -> holder.expiry().end());
	}

	private boolean dispossess(String key, Duration cooldown, Consumer<LocalLock.Holder> before) {
		return change((now, after) -> {
			LocalLock lock = this.locks.get(key);
			LocalLock.Holder holder = (lock != null) ? lock.holder(now) : null;
			if (lock == null || holder == null) {
				return false;
			}
			before.accept(holder);
			after.add(() -> holder.client().lost(holder.ownerId()));
			vacate(lock, now + cooldown.toNanos(), now, after);
			return true;
		});
	}

	boolean isWaitedFor(String key) {
		return change((now, after) -> {
			LocalLock lock = this.locks.get(key);
			return lock != null && lock.hasWaiters();
		});
	}

	Optional<LockInfo> find(String key) {
		return change((now, after) -> Optional.ofNullable(this.locks.get(key)).flatMap((lock) -> describe(lock, now)));
	}

	List<LockInfo> list() {
		return change(
				(now, after) -> this.locks.values().stream().flatMap((lock) -> describe(lock, now).stream()).toList());
	}

	/**
	 * Return of how many keys something is kept.
	 * @return how many
	 */
	int size() {
		return change((now, after) -> this.locks.size());
	}

	private Optional<LockInfo> describe(LocalLock lock, long now) {
		return Optional.ofNullable(lock.holder(now))
			.map((holder) -> new LockInfo(lock.key(), holder.client().instanceId(), LockMode.EXCLUSIVE,
					holder.tokens().last(), Duration.ofNanos(now - holder.grantedAt()), lock.rest(now)));
	}

	private @Nullable LocalLock heldBy(String key, OwnerId ownerId, @Nullable TokenRange tokens, long now) {
		LocalLock lock = this.locks.get(key);
		LocalLock.Holder holder = (lock != null) ? lock.holder(now) : null;
		boolean held = holder != null && holder.ownerId().equals(ownerId)
				&& (tokens == null || holder.tokens().equals(tokens));
		return held ? lock : null;
	}

	private static void tellOfWaiters(LocalLock lock, LeaseGrant grant, long now, List<Runnable> after) {
		LocalLock.Holder holder = lock.holder(now);
		if (holder != null && lock.hasWaitersBeside(holder.client())) {
			after.add(() -> holder.client().contended(grant));
		}
	}

	private void vacate(LocalLock lock, long until, long now, List<Runnable> after) {
		lock.vacate(until);
		// All of them, since one alone might be about to withdraw. Those who find a
		// cooldown are told when it ends.
		lock.forEachWaiter((waiter) -> after.add(waiter.wakeUp()));
		settle(lock, now);
	}

	/**
	 * Forget a lock that has changed, or note when that can be done.
	 */
	private void settle(LocalLock lock, long now) {
		this.due.remove(lock);
		if (lock.isForgettable(now)) {
			this.locks.remove(lock.key());
		}
		else if (!lock.hasWaiters()) {
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

	private <T> T change(Change<T> change) {
		List<Runnable> after = new ArrayList<>(1);
		T result;
		this.guard.lock();
		try {
			// Read under the guard, so that the time never goes back between two changes.
			long now = this.clock.nanoTime();
			forgetDue(now);
			result = change.apply(now, after);
		}
		finally {
			this.guard.unlock();
		}
		after.forEach(Runnable::run);
		return result;
	}

	/**
	 * Something that is done under the guard.
	 */
	@FunctionalInterface
	private interface Change<T> {

		T apply(long now, List<Runnable> after);

	}

}
