package io.distributedlock.scheduling;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;

import io.distributedlock.aop.ScheduledRun;

/**
 * The trigger of one task, which remembers what it computed until the run comes: a
 * scheduler may compute the next instant before the run of the last one has begun, on
 * another thread.
 */
final class TickTrigger implements Trigger {

	/**
	 * By how much a run may come before its instant: it is waited for on another clock.
	 */
	private static final Duration EARLY = Duration.ofMillis(100);

	private final Trigger delegate;

	private final Clock clock;

	// Guarded by the monitor: what was computed, and not taken by a run.
	private final Deque<Instant> ticks = new ArrayDeque<>();

	// Guarded by the monitor: what the latest run has taken.
	private @Nullable Instant taken;

	/**
	 * Create the trigger.
	 * @param delegate computes the instants
	 * @param clock the scheduler's
	 */
	TickTrigger(Trigger delegate, Clock clock) {
		this.delegate = delegate;
		this.clock = clock;
	}

	@Override
	public @Nullable Instant nextExecution(TriggerContext context) {
		Instant tick = this.delegate.nextExecution(context);
		if (tick != null) {
			synchronized (this) {
				this.ticks.addLast(tick);
			}
		}
		return tick;
	}

	/**
	 * Return the run that begins now. It is that of the oldest instant, unless a later
	 * one is due as well: then the older one's was refused by a busy executor, and
	 * without leaving it out all runs to come would be taken for runs of the instant
	 * before. So a run may come for an instant that another run has taken; it will find
	 * that it is done.
	 */
	synchronized ScheduledRun nextRun() {
		Instant due = this.clock.instant().plus(EARLY);
		Instant tick = this.ticks.pollFirst();
		while (!this.ticks.isEmpty() && !this.ticks.getFirst().isAfter(due)) {
			tick = this.ticks.pollFirst();
		}
		this.taken = (tick != null) ? tick : this.taken;
		if (this.taken == null) {
			throw new IllegalStateException(
					"A run began for which the trigger (" + this.delegate + ") had computed no instant");
		}
		return ScheduledRun.atTick(this.taken);
	}

	@Override
	public String toString() {
		return this.delegate.toString();
	}

}
