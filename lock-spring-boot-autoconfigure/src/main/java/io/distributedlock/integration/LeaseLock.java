package io.distributedlock.integration;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

import org.springframework.integration.support.locks.DistributedLock;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockRequest;

/**
 * The lock on one key. It has no state of its own; {@link ThreadHolds} keeps the locks
 * that threads hold.
 */
record LeaseLock(ThreadHolds holds, String key) implements DistributedLock {

	@Override
	public void lock() {
		enterUninterruptibly(LockRequest.of(this.key));
	}

	@Override
	public void lock(Duration ttl) {
		enterUninterruptibly(LockRequest.of(this.key).ttl(ttl));
	}

	private void enterUninterruptibly(LockRequest request) {
		uninterruptibly(() -> {
			this.holds.enter(this, request.waitTime(ChronoUnit.FOREVER.getDuration()));
			return true;
		});
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		interruptibly(() -> {
			this.holds.enter(this, LockRequest.of(this.key).waitTime(ChronoUnit.FOREVER.getDuration()));
			return true;
		});
	}

	@Override
	public boolean tryLock() {
		return uninterruptibly(() -> this.holds.tryEnter(this, LockRequest.of(this.key).waitTime(Duration.ZERO)));
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return tryLock(Duration.ofNanos(unit.toNanos(time)));
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return tryLock(LockRequest.of(this.key).ttl(ttl), waitTime);
	}

	boolean tryLock(Duration waitTime) throws InterruptedException {
		return tryLock(LockRequest.of(this.key), waitTime);
	}

	/**
	 * A caller with time to wait for the lock also has time to ask whether its lease
	 * still stands.
	 */
	private boolean tryLock(LockRequest request, Duration waitTime) throws InterruptedException {
		LockRequest patient = request.waitTime(waitTime.isNegative() ? Duration.ZERO : waitTime);
		return interruptibly(() -> this.holds.stands(this) && this.holds.tryEnter(this, patient));
	}

	@Override
	public void unlock() {
		this.holds.leave(this.key);
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("The lock on '" + LockKeys.printable(this.key) + "' has no conditions");
	}

	private static boolean interruptibly(BooleanSupplier entry) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		try {
			return entry.getAsBoolean();
		}
		catch (LockInterruptedException ex) {
			Thread.interrupted();
			InterruptedException interruption = new InterruptedException(ex.getMessage());
			interruption.initCause(ex);
			throw interruption;
		}
	}

	/**
	 * Continue after interrupts, and set the interrupt flag again at the end.
	 */
	private static boolean uninterruptibly(BooleanSupplier entry) {
		boolean interrupted = Thread.interrupted();
		try {
			while (true) {
				try {
					return entry.getAsBoolean();
				}
				catch (LockInterruptedException ex) {
					interrupted = true;
					Thread.interrupted();
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public String toString() {
		return "LeaseLock[" + LockKeys.printable(this.key) + "]";
	}

}
