package io.distributedlock.contract;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;

import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract for stores in real time.
 *
 * @since 0.1.0
 */
public abstract class RealTimeLockBackendContract extends LockBackendContract {

	private final TardyCancellations clock = new TardyCancellations(new SystemLockClock());

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

	@Test
	void timeoutThatFiresInTheMomentOfTheGrantTakesNothingBack() {
		this.clock.begin();
		String key = newKey();
		Duration timeout = Duration.ofSeconds(2);
		LeaseGrant grant = acquire(first(), key,
				new LeaseRequest(OwnerId.random(), longTtl(), 1, null, false, timeout, timeout));

		elapse(timeout.plusMillis(500));

		assertStands(first(), grant);
		assertBusy(second(), key);
		assertThat(release(first(), grant)).isTrue();
	}

}
