package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;

/**
 * Delays a queue's next attempt. Guarded by the queue's monitor, which callers hold.
 */
final class AttemptDelay {

	private final Delayed queue;

	private @Nullable Timeout timeout;

	private boolean forOthers;

	private int begun;

	/**
	 * Create a delay that has not begun.
	 * @param queue the queue, whose monitor guards this delay
	 */
	AttemptDelay(Delayed queue) {
		this.queue = queue;
	}

	/**
	 * Begin a delay, which replaces the one that is under way.
	 * @param clock schedules its end
	 * @param forOthers whether other JVMs are to reach the store meanwhile, so that
	 * {@link KeyQueue} does not shorten the delay for its waiters
	 */
	void begin(LockClock clock, Duration length, boolean forOthers) {
		cancel();
		int number = ++this.begun;
		this.forOthers = forOthers;
		this.timeout = clock.schedule(length, () -> end(number));
	}

	private void end(int number) {
		synchronized (this.queue) {
			if (this.timeout == null || number != this.begun) {
				// It was cancelled too late to prevent this run.
				return;
			}
			this.timeout = null;
		}
		this.queue.delayEnded();
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

	/**
	 * What a delay holds up.
	 */
	@FunctionalInterface
	interface Delayed {

		/**
		 * Called without the monitor when a delay ends that was not cancelled.
		 */
		void delayEnded();

	}

}
