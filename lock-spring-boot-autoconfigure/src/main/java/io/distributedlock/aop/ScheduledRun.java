package io.distributedlock.aop;

import org.jspecify.annotations.Nullable;

/**
 * One run of a task by a scheduler, shown on its thread to the outermost locked method
 * that the task calls. Methods that this one calls, or that are called after it, are
 * called by the application like any other.
 *
 * @since 0.1.0
 */
public final class ScheduledRun {

	// Confined to the thread that runs the task.
	private static final ThreadLocal<@Nullable ScheduledRun> CURRENT = new ThreadLocal<>();

	/**
	 * Run a task as the scheduler's.
	 * @param task the task
	 */
	public void call(Runnable task) {
		ScheduledRun outer = CURRENT.get();
		CURRENT.set(this);
		try {
			task.run();
		}
		finally {
			show(outer);
		}
	}

	/**
	 * Return the run that calls the present method, and show it to no other.
	 * @return the run, or {@code null} for an ordinary call
	 */
	static @Nullable ScheduledRun take() {
		ScheduledRun run = CURRENT.get();
		if (run != null) {
			CURRENT.remove();
		}
		return run;
	}

	private static void show(@Nullable ScheduledRun run) {
		if (run != null) {
			CURRENT.set(run);
		}
		else {
			CURRENT.remove();
		}
	}

}
