package io.distributedlock.integration;

import java.time.Duration;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.Scopes;

/**
 * Spring Integration's registry of locks, over the same keys as
 * {@link io.distributedlock.LockTemplate} and {@link io.distributedlock.DistributedLock}.
 * <p>
 * A thread that has locked a key holds one lease, which is renewed in the background, and
 * has a scope open: what it calls re-enters the lock. Locks and unlocks of a thread nest;
 * the last unlock releases the lease, inside a running transaction when that has
 * completed. Nothing is kept for a key that no thread holds.
 * <p>
 * A lease that was lost is told once to the thread that held it: its next {@code tryLock}
 * returns {@code false}, its next {@code lock} throws
 * {@link io.distributedlock.LeaseLostException}, and the call after that contends afresh;
 * an {@code unlock} throws {@link java.util.ConcurrentModificationException} caused by
 * it. A store that can't be asked is no busy lock: {@code tryLock} throws
 * {@link LockUnavailableException} then.
 *
 * @since 0.1.0
 */
public final class LeaseLockRegistry
		implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {

	private final ThreadHolds holds;

	private final Duration ttl;

	/**
	 * Create a registry.
	 * @param scopes acquires the leases
	 * @param ttl the ttl of locks for which none is given, by which {@link #renewLock}
	 * extends them
	 */
	public LeaseLockRegistry(Scopes scopes, Duration ttl) {
		this.holds = new ThreadHolds(scopes);
		this.ttl = ttl;
	}

	/**
	 * Return the lock on a key. Locks on equal keys are equal, and a thread that holds
	 * one gets the same one again. Its methods without a time wait without limit; a time
	 * of zero or less is one attempt.
	 * @param lockKey the key: text, a number, a boolean, a character, a UUID, a value of
	 * {@code java.time} or an enum, of which the name counts
	 * @return the lock, which holds nothing yet
	 * @throws InvalidLockRequestException if the key is none of these, or not valid as
	 * text
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		String key = LockKeys.textOf(lockKey);
		Hold hold = this.holds.find(key);
		return (hold != null) ? hold.lock() : new LeaseLock(this.holds, key);
	}

	/**
	 * Extend the lease of a lock that the calling thread holds so that it is held for at
	 * least the ttl with which it was locked. One round trip; not needed to keep the
	 * lock.
	 * @param lockKey the key
	 * @throws IllegalStateException if the thread does not hold the lock, or has lost it
	 * @throws LockUnavailableException if the store could not be asked; the lease goes on
	 * as before
	 */
	@Override
	public void renewLock(Object lockKey) {
		Hold hold = this.holds.get(LockKeys.textOf(lockKey));
		hold.extend((hold.ttl() != null) ? hold.ttl() : this.ttl);
	}

	/**
	 * Extend the lease of a lock that the calling thread holds. One round trip.
	 * @param lockKey the key
	 * @param customTtl for how long it is to be held from now on at least; later renewals
	 * keep it
	 * @throws IllegalStateException if the thread does not hold the lock, or has lost it
	 * @throws InvalidLockRequestException if the time would go past the maximum hold
	 * @throws LockUnavailableException if the store could not be asked; the lease goes on
	 * as before
	 */
	@Override
	public void renewLock(Object lockKey, Duration customTtl) {
		this.holds.get(LockKeys.textOf(lockKey)).extend(customTtl);
	}

	/**
	 * Do nothing: what is not held leaves nothing behind.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

}
