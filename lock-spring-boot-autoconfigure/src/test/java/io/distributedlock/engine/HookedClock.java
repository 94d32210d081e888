package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockClock;

/**
 * A virtual clock that lets something happen in the middle of what the engine does.
 */
final class HookedClock implements LockClock {

	private final VirtualLockClock clock;

	private @Nullable Runnable hook;

	HookedClock(VirtualLockClock clock) {
		this.clock = clock;
	}

	/**
	 * Run something once, when the engine schedules its next task.
	 */
	void beforeNextSchedule(Runnable hook) {
		this.hook = hook;
	}

	@Override
	public long nanoTime() {
		return this.clock.nanoTime();
	}

	@Override
	public long wallMillis() {
		return this.clock.wallMillis();
	}

	@Override
	public Timeout schedule(Duration delay, Runnable task) {
		Runnable now = this.hook;
		this.hook = null;
		if (now != null) {
			now.run();
		}
		return this.clock.schedule(delay, task);
	}

}
