package io.distributedlock.scheduling;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.SchedulingAwareRunnable;

import io.distributedlock.aop.ScheduledRun;

/**
 * A task whose runs are marked. Tells what the task tells about itself, by which
 * schedulers are chosen.
 */
class ScheduledRunTask implements SchedulingAwareRunnable {

	private final Runnable task;

	ScheduledRunTask(Runnable task) {
		this.task = task;
	}

	@Override
	public void run() {
		new ScheduledRun().call(this.task);
	}

	@Override
	public boolean isLongLived() {
		return this.task instanceof SchedulingAwareRunnable aware && aware.isLongLived();
	}

	@Override
	public @Nullable String getQualifier() {
		return (this.task instanceof SchedulingAwareRunnable aware) ? aware.getQualifier() : null;
	}

	@Override
	public String toString() {
		return this.task.toString();
	}

}
