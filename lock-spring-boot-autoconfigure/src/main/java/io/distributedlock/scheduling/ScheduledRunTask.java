package io.distributedlock.scheduling;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.SchedulingAwareRunnable;

import io.distributedlock.aop.ScheduledRun;

/**
 * A task whose runs are marked. Passes on the properties of the task, such as the
 * qualifier by which a scheduler is chosen.
 */
class ScheduledRunTask implements SchedulingAwareRunnable {

	private final Runnable task;

	private final Supplier<ScheduledRun> runs;

	/**
	 * Create a task.
	 * @param task the task
	 * @param runs called once at the beginning of each run
	 */
	ScheduledRunTask(Runnable task, Supplier<ScheduledRun> runs) {
		this.task = task;
		this.runs = runs;
	}

	ScheduledRunTask(Runnable task, ScheduledRun run) {
		this(task, () -> run);
	}

	@Override
	public void run() {
		this.runs.get().call(this.task);
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
