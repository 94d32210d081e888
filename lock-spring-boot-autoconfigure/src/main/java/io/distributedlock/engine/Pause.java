package io.distributedlock.engine;

import java.time.Duration;
import java.util.function.Consumer;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;

/**
 * The time until a queue's next attempt. Guarded by the queue's monitor; a pause that was
 * cancelled may still report its end, which the queue then finds to be another one's.
 */
final class Pause {

	private final Timeout timeout;

	Pause(LockClock clock, Duration length, Consumer<Pause> end) {
		this.timeout = clock.schedule(length, () -> end.accept(this));
	}

	void cancel() {
		this.timeout.cancel();
	}

}
