package io.distributedlock.backend.local;

import java.time.Duration;

import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * The local store on a virtual clock: expires to the nanosecond, and wakes at once.
 */
class LocalLockBackendContractTests extends LockBackendContract {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	@Override
	protected LockBackend newClient() {
		return new LocalLockBackend(this.store, "test", this.clock);
	}

	@Override
	protected LockClock clock() {
		return this.clock;
	}

	@Override
	protected void elapse(Duration duration) {
		this.clock.advance(duration);
	}

	@Override
	protected void letExpire(LockBackend holder, Duration ttl) {
		elapse(ttl);
	}

	@Override
	protected Duration lateness() {
		return Duration.ZERO;
	}

}
