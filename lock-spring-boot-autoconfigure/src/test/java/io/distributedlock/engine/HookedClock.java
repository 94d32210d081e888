package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.contract.DecoratedClock;
import io.distributedlock.contract.VirtualLockClock;

/**
 * A virtual clock that lets something happen in the middle of what the engine does.
 */
final class HookedClock extends DecoratedClock {

	private @Nullable Runnable hook;

	HookedClock(VirtualLockClock clock) {
		super(clock);
	}

	/**
	 * Run something once, when the engine schedules its next task.
	 */
	void beforeNextSchedule(Runnable hook) {
		this.hook = hook;
	}

	@Override
	public Timeout schedule(Duration delay, Runnable task) {
		Runnable now = this.hook;
		this.hook = null;
		if (now != null) {
			now.run();
		}
		return super.schedule(delay, task);
	}

}
