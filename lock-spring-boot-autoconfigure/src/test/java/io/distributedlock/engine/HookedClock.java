package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.contract.DecoratedClock;
import io.distributedlock.contract.VirtualLockClock;

/**
 * A virtual clock that runs an action in the middle of the engine's work.
 */
final class HookedClock extends DecoratedClock {

	private @Nullable Runnable hook;

	HookedClock(VirtualLockClock clock) {
		super(clock);
	}

	/**
	 * Run an action once, when the engine schedules its next task.
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
