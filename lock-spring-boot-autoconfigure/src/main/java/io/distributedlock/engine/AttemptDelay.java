package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;

/**
 * Delays a queue's next attempt. Guarded by the queue's monitor, which callers hold.
 */
final class AttemptDelay {

	private final LockClock clock;

	private final Object monitor;

	private final Runnable onEnd;

	private @Nullable Timeout timeout;

	private boolean forOthers;

	private int begun;

	/**
	 * Create a delay that has not begun.
	 * @param monitor the queue's monitor
	 * @param onEnd called without the monitor when a delay ends that was not cancelled
	 */
	AttemptDelay(LockClock clock, Object monitor, Runnable onEnd) {
		this.clock = clock;
		this.monitor = monitor;
		this.onEnd = onEnd;
	}

	/**
	 * Begin a delay, which replaces the one that is under way.
	 * @param forOthers whether other JVMs are to reach the store meanwhile, so that
	 * {@link KeyQueue} does not shorten the delay for its waiters
	 */
	void begin(Duration length, boolean forOthers) {
		cancel();
		int number = ++this.begun;
		this.forOthers = forOthers;
		this.timeout = this.clock.schedule(length, () -> end(number));
	}

	private void end(int number) {
		synchronized (this.monitor) {
			if (this.timeout == null || number != this.begun) {
				// It was cancelled too late to prevent this run.
				return;
			}
			this.timeout = null;
		}
		this.onEnd.run();
	}

	boolean isUnderWay() {
		return this.timeout != null;
	}

	boolean isForOthers() {
		return this.timeout != null && this.forOthers;
	}

	void cancel() {
		Timeout cancelled = this.timeout;
		if (cancelled != null) {
			// First, because a delay that seems to be under way and has no timer would
			// never end.
			this.timeout = null;
			cancelled.cancel();
		}
	}

}
