package io.distributedlock.backend.local;

import java.time.Duration;

import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Runs the contract with the local store on a virtual clock, which expires leases to the
 * nanosecond and wakes waiters at once.
 */
class LocalLockBackendContractTests extends LockBackendContract {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	@Override
	protected LockBackend newClient() {
		return new CutOffBackend(new LocalLockBackend(this.store, "test", this.clock));
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
	protected boolean tellsOfWaiters() {
		return true;
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		((CutOffBackend) client).setCutOff(true);
	}

	@Override
	protected boolean canLoseAnswers() {
		return true;
	}

	@Override
	protected void loseAnswers(LockBackend client) {
		((CutOffBackend) client).setLosesAnswers(true);
	}

	@Override
	protected void restore(LockBackend client) {
		((CutOffBackend) client).setCutOff(false);
		((CutOffBackend) client).setLosesAnswers(false);
	}

	@Override
	protected Duration lateness() {
		return Duration.ZERO;
	}

}
