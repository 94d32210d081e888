package io.distributedlock.engine;

import java.time.Duration;
import java.util.function.Consumer;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;

/**
 * The time until a queue's next attempt. Guarded by the queue's monitor; a delay that was
 * cancelled may still report its end, which the queue then finds to be another one's.
 */
final class AttemptDelay {

	private final Timeout timeout;

	private final boolean forOthers;

	/**
	 * Begin a delay.
	 * @param forOthers whether other JVMs are to reach the store meanwhile, so that
	 * nothing that happens in this one ends the delay
	 */
	AttemptDelay(LockClock clock, Duration length, boolean forOthers, Consumer<AttemptDelay> end) {
		this.forOthers = forOthers;
		this.timeout = clock.schedule(length, () -> end.accept(this));
	}

	boolean isForOthers() {
		return this.forOthers;
	}

	void cancel() {
		this.timeout.cancel();
	}

}
