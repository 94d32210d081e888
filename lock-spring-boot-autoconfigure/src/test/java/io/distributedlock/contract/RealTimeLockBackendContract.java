package io.distributedlock.contract;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LockClock;

/**
 * The contract for stores whose time is nobody's to move.
 *
 * @since 0.1.0
 */
public abstract class RealTimeLockBackendContract extends LockBackendContract {

	private final SystemLockClock clock = new SystemLockClock();

	@Override
	protected final LockClock clock() {
		return this.clock;
	}

	@Override
	protected final void elapse(Duration duration) {
		long end = this.clock.nanoTime() + duration.toNanos();
		for (long left = duration.toNanos(); left > 0; left = end - this.clock.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
