package io.distributedlock.scheduling;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.SchedulingAwareRunnable;

import io.distributedlock.aop.ScheduledRun;

/**
 * A task whose runs are marked. Tells what the task tells about itself, by which
 * schedulers are chosen.
 */
class ScheduledRunTask implements SchedulingAwareRunnable {

	private final Runnable task;

	private final Supplier<ScheduledRun> runs;

	/**
	 * Create a task.
	 * @param task the task
	 * @param runs asked once at the beginning of each run
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
