package io.distributedlock.scheduling;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.PeriodicTrigger;

import io.distributedlock.aop.ScheduledRun;

/**
 * Attaches the schedule to each run of the tasks that are scheduled through it.
 */
class ScheduledRunScheduler implements TaskScheduler {

	private final TaskScheduler delegate;

	ScheduledRunScheduler(TaskScheduler delegate) {
		this.delegate = delegate;
	}

	@Override
	public Clock getClock() {
		return this.delegate.getClock();
	}

	@Override
	public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
		if (trigger instanceof PeriodicTrigger periodic) {
			// Its instants depend on when this instance was started.
			return this.delegate.schedule(new ScheduledRunTask(task, runOf(periodic)), trigger);
		}
		TickTrigger ticks = new TickTrigger(trigger, getClock());
		return this.delegate.schedule(new ScheduledRunTask(task, ticks::nextRun), ticks);
	}

	private static ScheduledRun runOf(PeriodicTrigger trigger) {
		Duration period = trigger.getPeriodDuration();
		return trigger.isFixedRate() ? ScheduledRun.atFixedRate(period) : ScheduledRun.withFixedDelay(period);
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
		return this.delegate.schedule(new ScheduledRunTask(task, ScheduledRun.once()), startTime);
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
		return this.delegate.scheduleAtFixedRate(new ScheduledRunTask(task, ScheduledRun.atFixedRate(period)),
				startTime, period);
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
		return this.delegate.scheduleAtFixedRate(new ScheduledRunTask(task, ScheduledRun.atFixedRate(period)), period);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
		return this.delegate.scheduleWithFixedDelay(new ScheduledRunTask(task, ScheduledRun.withFixedDelay(delay)),
				startTime, delay);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
		return this.delegate.scheduleWithFixedDelay(new ScheduledRunTask(task, ScheduledRun.withFixedDelay(delay)),
				delay);
	}

}
