package io.distributedlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.SessionValidity;
import io.distributedlock.spi.TokenRange;

/**
 * The state of one key in the store: free, held until {@code freeAt}, or in a cooldown
 * until {@code freeAt} without a holder. A lease expires by the passage of time alone.
 * <p>
 * Not thread-safe: its {@link LocalStore} guards all of it.
 */
final class LocalLock implements Comparable<LocalLock> {

	private static final Duration TICK_RETENTION = Duration.ofHours(24);

	private final String key;

	private final Set<LocalContender> waiters = new LinkedHashSet<>();

	private @Nullable Holder holder;

	private long freeAt;

	private @Nullable Instant tick;

	private long tickKeptUntil;

	private long dueAt;

	/**
	 * Create a free lock.
	 * @param key the key
	 * @param now the monotonic time
	 */
	LocalLock(String key, long now) {
		this.key = key;
		this.freeAt = now;
	}

	String key() {
		return this.key;
	}

	/**
	 * Return the holder of an unexpired lease.
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
	 * Take the lease from its holder, and wake the waiters.
	 * @param until when the lock becomes free
	 * @param after receives the tasks that wake them
	 */
	void vacate(long until, List<Runnable> after) {
		this.holder = null;
		this.freeAt = until;
		// All of them, since a single one might be about to withdraw. Waiters that find a
		// cooldown learn when it ends.
		this.waiters.forEach((waiter) -> after.add(waiter.wakeUp()));
	}

	/**
	 * Return the tick that forbids a run.
	 * @param wanted the tick whose run is asked for, if any
	 * @return the latest tick that has run, or {@code null} if it is older or unknown
	 */
	@Nullable Instant tickNotBefore(@Nullable Instant wanted) {
		return (wanted != null && this.tick != null && !this.tick.isBefore(wanted)) ? this.tick : null;
	}

	Set<LocalContender> waiters() {
		return this.waiters;
	}

	/**
	 * Return whether a contender of another client waits.
	 */
	boolean hasWaitersBeside(LocalStoreConnection client) {
		for (LocalContender waiter : this.waiters) {
			if (waiter.client() != client) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Update the time by which this lock is sorted. To be called only while it is in no
	 * sorted set.
	 */
	void fixDue() {
		this.dueAt = (this.tick != null && this.tickKeptUntil - this.freeAt > 0) ? this.tickKeptUntil : this.freeAt;
	}

	boolean isDue(long now) {
		return this.dueAt - now <= 0;
	}

	@Override
	public int compareTo(LocalLock other) {
		// By difference, since monotonic time may wrap round.
		int byTime = Long.signum(this.dueAt - other.dueAt);
		return (byTime != 0) ? byTime : this.key.compareTo(other.key);
	}

	/**
	 * The holder of the lock.
	 *
	 * @param ownerId the owner id of the attempt
	 * @param client the client that made it
	 * @param tokens the tokens
	 * @param grantedAt the monotonic time of the grant
	 * @param expired whether a test has made the lease expire early; written under the
	 * guard of the store, read by the holder without it
	 */
	record Holder(OwnerId ownerId, LocalStoreConnection client, TokenRange tokens, long grantedAt,
			AtomicBoolean expired) {

		/**
		 * Return the validity that a forced expiry ends early. The engine finds it where
		 * it finds the end of a session with other stores, so a test runs the complete
		 * path by which a holder learns of its loss.
		 */
		SessionValidity validity() {
			return (now) -> this.expired.get() ? 0 : Long.MAX_VALUE;
		}

	}

}
