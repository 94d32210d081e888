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
 * has a scope open: nested calls re-enter the lock. Locks and unlocks of a thread nest.
 * The last unlock releases the lease; inside a running transaction the release follows
 * its completion. No state is kept for a key that no thread holds.
 * <p>
 * The loss of a lease is reported once to the thread that held it. Its next
 * {@code tryLock} returns {@code false}, its next {@code lock} throws
 * {@link io.distributedlock.LeaseLostException}, and the call after that contends afresh.
 * An {@code unlock} throws {@link java.util.ConcurrentModificationException} with that
 * exception as its cause. If the store can't be asked, {@code tryLock} throws
 * {@link LockUnavailableException} instead of returning {@code false}.
 * <p>
 * A thread re-enters a lock that it holds without asking the store, except by
 * {@code tryLock} with a time. That method asks whether the lease still stands, so that
 * code which uses it as a heartbeat soon learns that the lock was taken away. If the
 * store does not answer, the lease counts as before.
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
	 * @param ttl the default TTL of locks, by which {@link #renewLock} extends them
	 */
	public LeaseLockRegistry(Scopes scopes, Duration ttl) {
		this.holds = new ThreadHolds(scopes);
		this.ttl = ttl;
	}

	/**
	 * Return the lock on a key. Locks on equal keys are equal, and a thread that holds
	 * one gets the same one again. Methods without a time wait without limit; a time of
	 * zero or less is a single attempt.
	 * @param lockKey the key: a single value or a record, as specified by
	 * {@link KeyTexts}
	 * @return the lock, which is not acquired yet
	 * @throws InvalidLockRequestException if the key is of another type, or its text is
	 * not valid
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
	 * Extend the lease of a lock that the calling thread holds, to at least the TTL with
	 * which it was locked. Takes one round trip. Not needed to keep the lock.
	 * @param lockKey the key
	 * @throws IllegalStateException if the thread does not hold the lock, or has lost it
	 * @throws LockUnavailableException if the store could not be asked; the lease remains
	 * as before
	 */
	@Override
	public void renewLock(Object lockKey) {
		ThreadHold hold = this.holds.get(keyOf(lockKey));
		hold.extend((hold.ttl() != null) ? hold.ttl() : this.ttl);
	}

	/**
	 * Extend the lease of a lock that the calling thread holds. Takes one round trip.
	 * @param lockKey the key
	 * @param customTtl the time from now for which the lease is held at least; later
	 * renewals preserve it
	 * @throws IllegalStateException if the thread does not hold the lock, or has lost it
	 * @throws InvalidLockRequestException if the time would go past the maximum hold, is
	 * not greater than zero, or is longer than 3,650 days
	 * @throws LockUnavailableException if the store could not be asked; the lease remains
	 * as before
	 */
	@Override
	public void renewLock(Object lockKey, Duration customTtl) {
		this.holds.get(keyOf(lockKey)).extend(customTtl);
	}

	/**
	 * Has no effect, because locks that are not held leave nothing behind.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/**
	 * Run a task while a lock is held. Waits for the lock without limit. An exception of
	 * the task takes precedence; a loss of the lease is added to it as suppressed.
	 * @throws java.util.ConcurrentModificationException if the task ended well but the
	 * lease was lost before
	 */
	@Override
	public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
			throws E, InterruptedException {
		executeLocked(lockKey, asCallable(runnable));
	}

	/**
	 * Call a task while a lock is held. Waits for the lock without limit. An exception of
	 * the task takes precedence; a loss of the lease is added to it as suppressed.
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
	 * Run a task while a lock is held. An exception of the task takes precedence; a loss
	 * of the lease is added to it as suppressed.
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
	 * Call a task while a lock is held. An exception of the task takes precedence; a loss
	 * of the lease is added to it as suppressed.
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
