package io.distributedlock.backend.local;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.spi.OwnerId;

/**
 * The state of one key in the store: free, or until {@code freeAt} held by one exclusive
 * lease, held by a group of leases, or in a cooldown without any. Each lease expires by
 * the passage of time alone, and the key is free when the last one has.
 * <p>
 * Not thread-safe: its {@link LocalStore} guards all of it.
 */
final class LocalLock implements Comparable<LocalLock> {

	private static final Duration TICK_RETENTION = Duration.ofHours(24);

	/**
	 * How long the waiters that closed the door to a group have the free key for
	 * themselves. They are woken at its beginning.
	 */
	private static final Duration DOOR_AFTER_GROUP = Duration.ofMillis(100);

	private final String key;

	private final LocalWaiters waiters = new LocalWaiters();

	// The mode of the leases; of no meaning while the key is free.
	private LockMode mode = LockMode.EXCLUSIVE;

	// In the order of their tokens. Those of an ended group stay until the next lease.
	private List<LocalLease> leases = List.of();

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

	LockMode mode() {
		return this.mode;
	}

	LocalWaiters waiters() {
		return this.waiters;
	}

	boolean isFree(long now) {
		return this.freeAt - now <= 0;
	}

	boolean isHeldByGroup(long now) {
		return this.mode != LockMode.EXCLUSIVE && !isFree(now);
	}

	/**
	 * Return the leases that have neither expired nor been released.
	 * @param now the monotonic time
	 * @return the leases, in the order of their tokens
	 */
	List<LocalLease> held(long now) {
		return this.leases.stream().filter((lease) -> lease.isHeld(now)).toList();
	}

	/**
	 * Return the lease of an owner.
	 * @param ownerId the owner id
	 * @param now the monotonic time
	 * @return the lease, or {@code null} if there is none or it has run out
	 */
	@Nullable LocalLease held(OwnerId ownerId, long now) {
		for (int i = 0; i < this.leases.size(); i++) {
			LocalLease lease = this.leases.get(i);
			if (lease.ownerId().equals(ownerId) && lease.isHeld(now)) {
				return lease;
			}
		}
		return null;
	}

	/**
	 * Return when an attempt may be granted.
	 * @param wanted the mode of the attempt
	 * @param permits the permits of the attempt
	 * @param now the monotonic time
	 * @return the monotonic time, which is now if it may be granted at once
	 */
	long busyUntil(LockMode wanted, int permits, long now) {
		boolean free = isFree(now);
		if (wanted == LockMode.EXCLUSIVE || !free && wanted != this.mode) {
			return free ? now : this.freeAt;
		}
		long door = this.waiters.doorClosedUntil(now);
		if (door != now) {
			return door;
		}
		return (free || wanted == LockMode.SHARED) ? now : fullUntil(permits, now);
	}

	private long fullUntil(int permits, long now) {
		List<LocalLease> places = this.leases.stream().filter((lease) -> lease.counts(now)).toList();
		return (places.size() < permits) ? now
				: places.stream().mapToLong((lease) -> lease.until() - now).min().orElse(0) + now;
	}

	/**
	 * Add the lease of an attempt that may be granted.
	 * @param granted the mode of the attempt
	 * @param lease the lease
	 * @param now the monotonic time
	 */
	void grant(LockMode granted, LocalLease lease, long now) {
		if (granted == LockMode.EXCLUSIVE) {
			this.leases = List.of(lease);
			this.waiters.openDoorAt(now);
		}
		else {
			// A group that has ended or was forced leaves nothing to the next one.
			List<LocalLease> members = new ArrayList<>();
			this.leases.stream().filter((member) -> member.counts(now)).forEach(members::add);
			members.add(lease);
			this.leases = members;
		}
		this.mode = granted;
		lengthen(lease, lease.until());
	}

	void keepTick(@Nullable Instant granted, long now) {
		if (granted != null) {
			this.tick = granted;
			this.tickKeptUntil = now + TICK_RETENTION.toNanos();
		}
	}

	void lengthen(LocalLease lease, long until) {
		lease.lengthen(until);
		if (until - this.freeAt > 0) {
			this.freeAt = until;
		}
	}

	/**
	 * End one lease. The key is free when the others have ended, and the cooldown.
	 * @param lease the lease
	 * @param until when its cooldown ends
	 * @param now the monotonic time
	 * @param after receives the tasks that wake the waiters
	 */
	void release(LocalLease lease, long until, long now, List<Runnable> after) {
		long before = this.freeAt;
		lease.release(until);
		if (this.leases.size() > 1) {
			this.leases = this.leases.stream().filter((other) -> other.counts(now)).toList();
		}
		long rest = 0;
		for (int i = 0; i < this.leases.size(); i++) {
			rest = Math.max(rest, this.leases.get(i).until() - now);
		}
		this.freeAt = now + rest;
		if (rest == 0) {
			this.waiters.openDoorAt(now + DOOR_AFTER_GROUP.toNanos());
		}
		// A shared lease that was not the last one to expire changes nothing for them.
		if (this.mode != LockMode.SHARED || this.freeAt - before < 0) {
			this.waiters.wake(after);
		}
	}

	/**
	 * End all leases.
	 * @param until when the key becomes free
	 * @param after receives the tasks that wake the waiters
	 */
	void vacate(long until, List<Runnable> after) {
		this.leases = List.of();
		this.mode = LockMode.EXCLUSIVE;
		this.freeAt = until;
		this.waiters.openDoorAt(until + DOOR_AFTER_GROUP.toNanos());
		this.waiters.wake(after);
	}

	/**
	 * Return whether a client of which this one should know waits for the key: any other
	 * one for an exclusive lease, one that keeps the door closed for a member.
	 */
	boolean isWantedBeside(LocalStoreConnection client, long now) {
		return (this.mode == LockMode.EXCLUSIVE) ? this.waiters.isAnyBeside(client)
				: this.waiters.isDoorClosedBeside(client, now);
	}

	/**
	 * Return the tick that forbids a run.
	 * @param wanted the tick whose run is asked for, if any
	 * @return the latest tick that has run, or {@code null} if it is older or unknown
	 */
	@Nullable Instant tickNotBefore(@Nullable Instant wanted) {
		return (wanted != null && this.tick != null && !this.tick.isBefore(wanted)) ? this.tick : null;
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

}
