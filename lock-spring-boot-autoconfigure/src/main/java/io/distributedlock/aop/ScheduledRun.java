package io.distributedlock.aop;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;

/**
 * One run of a task by a scheduler, shown on its thread to the outermost locked method
 * that the task calls. Methods that this one calls, or that are called after it, are
 * called by the application like any other.
 * <p>
 * What is known of the schedule says how the lock keeps other instances from running as
 * well: by the tick where the schedule is the same for all of them, else by a time for
 * which the lock stays taken. That time is nine tenths of the period, so that the next
 * run of this instance finds the lock free in spite of clocks of different speed.
 *
 * @param tick the instant that the trigger computed for this run, if it did
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
	 * Create a run that follows the beginning of the one before.
	 * @param period the time between the beginnings
	 * @return the run
	 */
	public static ScheduledRun atFixedRate(Duration period) {
		return new ScheduledRun(null, mostOf(period), Duration.ZERO);
	}

	/**
	 * Create a run that follows the end of the one before.
	 * @param delay the time between an end and the next beginning
	 * @return the run
	 */
	public static ScheduledRun withFixedDelay(Duration delay) {
		return new ScheduledRun(null, Duration.ZERO, mostOf(delay));
	}

	/**
	 * Create a run that no other follows.
	 * @return the run
	 */
	public static ScheduledRun once() {
		return new ScheduledRun(null, Duration.ZERO, Duration.ZERO);
	}

	private static Duration mostOf(Duration period) {
		return period.multipliedBy(9).dividedBy(10);
	}

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

	/**
	 * Ask for what this run needs, where the annotation does not say otherwise. A maximum
	 * hold bounds the minimum hold.
	 */
	LockRequest applyTo(LockRequest request) {
		LockRequest result = (request.getWaitTime() != null) ? request : request.waitTime(Duration.ZERO);
		result = (this.tick != null) ? result.tick(this.tick) : result;
		if (this.minHold.isZero() || request.getMinHold() != null) {
			return result;
		}
		Duration maxHold = request.getMaxHold();
		return result.minHold((maxHold != null && maxHold.compareTo(this.minHold) < 0) ? maxHold : this.minHold);
	}

	/**
	 * Return how long the lock is to stay taken after this run.
	 * @param request what was asked for: its minimum hold takes the place of this time
	 */
	Duration cooldown(LockRequest request) {
		return (request.getMinHold() != null) ? Duration.ZERO : this.cooldown;
	}

}
