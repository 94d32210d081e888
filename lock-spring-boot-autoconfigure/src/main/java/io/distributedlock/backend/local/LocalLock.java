package io.distributedlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

/**
 * What the store knows of one key. It is free, held until {@code freeAt}, or cooling down
 * until {@code freeAt} with no holder; a holder whose time has come no longer stands,
 * without anybody having to note it.
 * <p>
 * Not thread-safe: all of it is guarded by the lock of its {@link LocalStore}.
 */
final class LocalLock implements Comparable<LocalLock> {

	private static final Duration TICK_RETENTION = Duration.ofHours(24);

	private final String key;

	private final long serial;

	private final Set<LocalContender> waiters = new LinkedHashSet<>();

	private @Nullable Holder holder;

	private long freeAt;

	private @Nullable Instant tick;

	private long tickKeptUntil;

	private long dueAt;

	/**
	 * Create a free lock.
	 * @param key the key
	 * @param serial a number of its own, which tells it from others that are due at the
	 * same time
	 * @param now the monotonic time
	 */
	LocalLock(String key, long serial, long now) {
		this.key = key;
		this.serial = serial;
		this.freeAt = now;
	}

	String key() {
		return this.key;
	}

	/**
	 * Return the holder whose lease stands.
	 * @param now the monotonic time
	 * @return the holder, or {@code null} if there is none or its lease has run out
	 */
	@Nullable Holder holder(long now) {
		return isFree(now) ? null : this.holder;
	}

	boolean isFree(long now) {
		return this.freeAt - now <= 0;
	}

	Duration rest(long now) {
		return Duration.ofNanos(this.freeAt - now);
	}

	void grant(Holder holder, long until, @Nullable Instant tick) {
		this.holder = holder;
		this.freeAt = until;
		if (tick != null) {
			this.tick = tick;
			this.tickKeptUntil = holder.grantedAt() + TICK_RETENTION.toNanos();
		}
	}

	void lengthen(long until) {
		if (until - this.freeAt > 0) {
			this.freeAt = until;
		}
	}

	/**
	 * Take the lease from its holder.
	 * @param until when somebody else may have the lock
	 */
	void vacate(long until) {
		this.holder = null;
		this.freeAt = until;
	}

	/**
	 * Return the tick that forbids a run.
	 * @param wanted the tick whose run is asked for, if any
	 * @return the latest tick that has run, or {@code null} if it is older or unknown
	 */
	@Nullable Instant tickNotBefore(@Nullable Instant wanted) {
		return (wanted != null && this.tick != null && !this.tick.isBefore(wanted)) ? this.tick : null;
	}

	void addWaiter(LocalContender waiter) {
		this.waiters.add(waiter);
	}

	void removeWaiter(LocalContender waiter) {
		this.waiters.remove(waiter);
	}

	void removeWaitersOf(LocalStoreConnection client) {
		this.waiters.removeIf((waiter) -> waiter.client() == client);
	}

	/**
	 * Return whether anybody waits who is not in this place.
	 */
	boolean hasWaitersBeside(LocalStoreConnection client) {
		return this.waiters.stream().anyMatch((waiter) -> waiter.client() != client);
	}

	boolean hasWaiters() {
		return !this.waiters.isEmpty();
	}

	void forEachWaiter(Consumer<LocalContender> action) {
		this.waiters.forEach(action);
	}

	boolean isForgettable(long now) {
		return this.waiters.isEmpty() && keptUntil() - now <= 0;
	}

	/**
	 * Fix the place of this lock among those that fall due. Only while it is in no sorted
	 * set.
	 */
	void fixDue() {
		this.dueAt = keptUntil();
	}

	boolean isDue(long now) {
		return this.dueAt - now <= 0;
	}

	private long keptUntil() {
		return (this.tick != null && this.tickKeptUntil - this.freeAt > 0) ? this.tickKeptUntil : this.freeAt;
	}

	@Override
	public int compareTo(LocalLock other) {
		// By difference, since monotonic time may wrap round.
		int byTime = Long.signum(this.dueAt - other.dueAt);
		return (byTime != 0) ? byTime : Long.compare(this.serial, other.serial);
	}

	/**
	 * Who was granted the lock.
	 *
	 * @param ownerId the owner id of the attempt
	 * @param client the client that made it
	 * @param tokens the tokens
	 * @param grantedAt the monotonic time of the grant
	 * @param expiry what can end the lease before its time
	 */
	record Holder(OwnerId ownerId, LocalStoreConnection client, TokenRange tokens, long grantedAt,
			ForcedExpiry expiry) {
	}

}
