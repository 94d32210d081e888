package io.distributedlock.contract;

import java.time.Duration;

import org.awaitility.Awaitility;

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
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(duration.plusSeconds(10))
			.until(() -> this.clock.nanoTime() - end >= 0);
	}

}
