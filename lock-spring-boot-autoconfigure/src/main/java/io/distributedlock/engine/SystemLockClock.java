package io.distributedlock.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Provides the time of this machine, with one daemon thread for scheduled tasks. The
 * thread ends when it is idle.
 *
 * @since 0.1.0
 */
public final class SystemLockClock implements LockClock, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(SystemLockClock.class);

	// A power of two. Several lists, so that threads rarely wait for each other.
	private static final int LISTS = 8;

	private final ScheduledThreadPoolExecutor timer;

	private final DeadlineList[] deadlines = new DeadlineList[LISTS];

	/**
	 * Create the clock.
	 */
	public SystemLockClock() {
		this.timer = new ScheduledThreadPoolExecutor(1, EngineThreads.named("lock-timer"));
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.setKeepAliveTime(10, TimeUnit.SECONDS);
		this.timer.allowCoreThreadTimeOut(true);
		Arrays.setAll(this.deadlines, (index) -> new DeadlineList(this));
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public long wallMillis() {
		return System.currentTimeMillis();
	}

	@Override
	public Timeout schedule(Duration delay, Runnable task) {
		Future<?> future = this.timer.schedule(() -> runLogged(task), delay.toNanos(), TimeUnit.NANOSECONDS);
		return () -> future.cancel(false);
	}

	@Override
	public void scheduleUnlessDone(CompletionStage<?> stage, Duration delay, Runnable task) {
		int list = (int) Thread.currentThread().getId() & (LISTS - 1);
		// A closed clock refuses the task, as it refuses others, instead of listing it.
		Timeout listed = this.timer.isShutdown() ? null : this.deadlines[list].add(delay, task);
		Timeout timeout = (listed != null) ? listed : schedule(delay, task);
		stage.whenComplete((result, fault) -> timeout.cancel());
	}

	static void runLogged(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A timer task of the lock engine failed", ex);
		}
	}

	/**
	 * End the thread. Tasks that are still scheduled never run.
	 */
	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
