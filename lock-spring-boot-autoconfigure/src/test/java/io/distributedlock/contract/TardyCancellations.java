package io.distributedlock.contract;

import java.time.Duration;

import io.distributedlock.spi.LockClock;

/**
 * A clock whose timeouts can be made to fire although they were cancelled, as each may
 * when it has begun in the moment of its cancellation.
 */
final class TardyCancellations implements LockClock {

	private final LockClock clock;

	private volatile boolean tardy;

	TardyCancellations(LockClock clock) {
		this.clock = clock;
	}

	/**
	 * Let all timeouts fire from now on, the cancelled ones among them.
	 */
	void begin() {
		this.tardy = true;
	}

	@Override
	public long nanoTime() {
		return this.clock.nanoTime();
	}

	@Override
	public long wallMillis() {
		return this.clock.wallMillis();
	}

	@Override
	public Timeout schedule(Duration delay, Runnable task) {
		Timeout timeout = this.clock.schedule(delay, task);
		return () -> {
			if (!this.tardy) {
				timeout.cancel();
			}
		};
	}

}
