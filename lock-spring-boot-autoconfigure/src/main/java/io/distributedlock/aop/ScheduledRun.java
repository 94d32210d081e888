package io.distributedlock.aop;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;

/**
 * One run of a task by a scheduler. It is shown, on the thread of the run, to the
 * outermost locked method that the task calls. Further calls, from this method or after
 * it, are ordinary calls of the application.
 * <p>
 * The schedule determines how the lock keeps other instances from running too: by the
 * tick if the schedule is the same for all of them, and otherwise by a time for which the
 * lock stays taken. That time is nine tenths of the period, so the next run of this
 * instance finds the lock free, even with clocks of different speed.
 *
 * @param tick the instant that the trigger computed for this run, if any
 * @param minHold how long the lock stays taken after its acquisition
 * @param cooldown how long the lock stays taken after the end of the run
 * @since 0.1.0
 */
public record ScheduledRun(@Nullable Instant tick, Duration minHold, Duration cooldown) {

	// Confined to the thread that runs the task.
	private static final ThreadLocal<@Nullable ScheduledRun> CURRENT = new ThreadLocal<>();

	/**
	 * Create the run of a trigger that computes the same instants on all instances.
	 * @param tick the instant
	 * @return the run
	 */
	public static ScheduledRun atTick(Instant tick) {
		return new ScheduledRun(tick, Duration.ZERO, Duration.ZERO);
	}

	/**
	 * Create a run at a fixed time after the beginning of the previous one.
	 * @param period the time between the beginnings
	 * @return the run
	 */
	public static ScheduledRun atFixedRate(Duration period) {
		return new ScheduledRun(null, mostOf(period), Duration.ZERO);
	}

	/**
	 * Create a run at a fixed time after the end of the previous one.
	 * @param delay the time between an end and the next beginning
	 * @return the run
	 */
	public static ScheduledRun withFixedDelay(Duration delay) {
		return new ScheduledRun(null, Duration.ZERO, mostOf(delay));
	}

	/**
	 * Create a run of a task that runs once.
	 * @return the run
	 */
	public static ScheduledRun once() {
		return new ScheduledRun(null, Duration.ZERO, Duration.ZERO);
	}

	private static Duration mostOf(Duration period) {
		return period.multipliedBy(9).dividedBy(10);
	}

	/**
	 * Run a task as a call of the scheduler.
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
	 * Take the run that calls the current method. Later calls do not see it.
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

	/**
	 * Apply the requirements of this run to a request, unless the annotation overrides
	 * them. A maximum hold limits the minimum hold. A lock that others may hold at the
	 * same time can't keep them from running, so for it the run is an ordinary attempt.
	 */
	LockRequest applyTo(LockRequest request) {
		LockRequest result = (request.getWaitTime() != null) ? request : request.waitTime(Duration.ZERO);
		if (request.getMode() != LockMode.EXCLUSIVE) {
			return result;
		}
		result = (this.tick != null) ? result.tick(this.tick) : result;
		if (this.minHold.isZero() || request.getMinHold() != null) {
			return result;
		}
		Duration maxHold = request.getMaxHold();
		return result.minHold((maxHold != null && maxHold.compareTo(this.minHold) < 0) ? maxHold : this.minHold);
	}

	/**
	 * Return how long the lock stays taken after this run.
	 * @param request the request; its minimum hold replaces this time, and a group has
	 * none
	 */
	Duration cooldown(LockRequest request) {
		boolean replaced = request.getMinHold() != null || request.getMode() != LockMode.EXCLUSIVE;
		return replaced ? Duration.ZERO : this.cooldown;
	}

}
