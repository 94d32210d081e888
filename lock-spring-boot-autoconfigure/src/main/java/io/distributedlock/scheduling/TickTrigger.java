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
 * The trigger of one task. Remembers each computed instant until its run begins, because
 * a scheduler may compute the next instant on another thread before the previous run has
 * begun.
 */
final class TickTrigger implements Trigger {

	/**
	 * By how much a run may begin before its instant, because the scheduler waits on
	 * another clock.
	 */
	private static final Duration EARLY = Duration.ofMillis(100);

	private final Trigger delegate;

	private final Clock clock;

	// Guarded by the monitor: the instants that were computed and not taken by a run.
	private final Deque<Instant> ticks = new ArrayDeque<>();

	// Guarded by the monitor: the instant that the latest run has taken.
	private @Nullable Instant taken;

	/**
	 * Create the trigger.
	 * @param delegate computes the instants
	 * @param clock the clock of the scheduler
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
	 * Return the run that begins now. It belongs to the oldest instant, unless a later
	 * one is due as well. In that case a busy executor refused the run of the older
	 * instant. If that instant were not skipped, each later run would be attributed to
	 * the instant before its own. So a run may be attributed to an instant that another
	 * run has taken; it then finds its tick done.
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
