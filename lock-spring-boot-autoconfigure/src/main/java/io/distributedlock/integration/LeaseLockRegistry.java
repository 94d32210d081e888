package io.distributedlock.integration;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.KeyTexts;
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
 * <p>
 * A lock that its thread holds already is entered again without asking the store, but by
 * {@code tryLock} with a time: that one asks whether the lease still stands, so that code
 * that does so as its heartbeat learns soon that the lock was taken from it. Where the
 * store does not answer, the lease counts as it did before.
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
	 * @param lockKey the key: a single value or a record, as {@link KeyTexts} says
	 * @return the lock, which holds nothing yet
	 * @throws InvalidLockRequestException if the key is none of these, or not valid as
	 * text
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return lock(lockKey);
	}

	private static String keyOf(@Nullable Object lockKey) {
		try {
			return LockRequest.of(KeyTexts.PLAIN.keyOf(lockKey)).getKeys().get(0);
		}
		catch (InvalidLockRequestException ex) {
			throw new InvalidLockRequestException(
					"The key that was given to the lock registry is refused: " + ex.getMessage(), ex);
		}
	}

	private LeaseLock lock(Object lockKey) {
		String key = keyOf(lockKey);
		ThreadHold hold = this.holds.find(key);
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
		ThreadHold hold = this.holds.get(keyOf(lockKey));
		hold.extend((hold.ttl() != null) ? hold.ttl() : this.ttl);
	}

	/**
	 * Extend the lease of a lock that the calling thread holds. One round trip.
	 * @param lockKey the key
	 * @param customTtl for how long it is to be held from now on at least; later renewals
	 * keep it
	 * @throws IllegalStateException if the thread does not hold the lock, or has lost it
	 * @throws InvalidLockRequestException if the time would go past the maximum hold, is
	 * not greater than zero, or is longer than 3,650 days
	 * @throws LockUnavailableException if the store could not be asked; the lease goes on
	 * as before
	 */
	@Override
	public void renewLock(Object lockKey, Duration customTtl) {
		this.holds.get(keyOf(lockKey)).extend(customTtl);
	}

	/**
	 * Do nothing: what is not held leaves nothing behind.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/**
	 * Run a task while a lock is held, which is waited for without limit. What the task
	 * throws wins; a loss of the lease is attached to it as suppressed.
	 * @throws java.util.ConcurrentModificationException if the task ended well but the
	 * lease was lost before
	 */
	@Override
	public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
			throws E, InterruptedException {
		executeLocked(lockKey, asCallable(runnable));
	}

	/**
	 * Call a task while a lock is held, which is waited for without limit. What the task
	 * throws wins; a loss of the lease is attached to it as suppressed.
	 * @throws java.util.ConcurrentModificationException if the task ended well but the
	 * lease was lost before
	 */
	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey,
			CheckedCallable<T, E> callable) throws E, InterruptedException {
		DistributedLock lock = obtain(lockKey);
		lock.lockInterruptibly();
		return callLocked(lock, callable);
	}

	/**
	 * Run a task while a lock is held. What the task throws wins; a loss of the lease is
	 * attached to it as suppressed.
	 * @throws TimeoutException if the lock was busy for the time
	 * @throws java.util.ConcurrentModificationException if the task ended well but the
	 * lease was lost before
	 */
	@Override
	public <E extends Throwable> void executeLocked(Object lockKey, Duration waitLockDuration,
			CheckedRunnable<E> runnable) throws E, InterruptedException, TimeoutException {
		executeLocked(lockKey, waitLockDuration, asCallable(runnable));
	}

	/**
	 * Call a task while a lock is held. What the task throws wins; a loss of the lease is
	 * attached to it as suppressed.
	 * @throws TimeoutException if the lock was busy for the time
	 * @throws java.util.ConcurrentModificationException if the task ended well but the
	 * lease was lost before
	 */
	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey, Duration waitLockDuration,
			CheckedCallable<T, E> callable) throws E, InterruptedException, TimeoutException {
		LeaseLock lock = lock(lockKey);
		if (!lock.tryLock(waitLockDuration)) {
			throw new TimeoutException(
					"The lock on '" + LockKeys.printable(lock.key()) + "' could not be had within " + waitLockDuration);
		}
		return callLocked(lock, callable);
	}

	private static <E extends Throwable> CheckedCallable<Boolean, E> asCallable(CheckedRunnable<E> runnable) {
		return () -> {
			runnable.run();
			return true;
		};
	}

	private static <T extends @Nullable Object, E extends Throwable> T callLocked(DistributedLock lock,
			CheckedCallable<T, E> callable) throws E {
		T result;
		try {
			result = callable.call();
		}
		catch (Throwable ex) {
			unlockAfter(ex, lock);
			throw ex;
		}
		lock.unlock();
		return result;
	}

	private static void unlockAfter(Throwable failure, DistributedLock lock) {
		try {
			lock.unlock();
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

}
