package io.distributedlock.contract;

import java.time.Duration;

import io.distributedlock.spi.LockClock;

/**
 * A clock whose timeouts can be made to fire although they were cancelled, as each may
 * when it has begun in the moment of its cancellation.
 */
final class TardyCancellations extends DecoratedClock {

	private volatile boolean tardy;

	TardyCancellations(LockClock clock) {
		super(clock);
	}

	/**
	 * Let all timeouts fire from now on, the cancelled ones among them.
	 */
	void begin() {
		this.tardy = true;
	}

	@Override
	public Timeout schedule(Duration delay, Runnable task) {
		Timeout timeout = super.schedule(delay, task);
		return () -> {
			if (!this.tardy) {
				timeout.cancel();
			}
		};
	}

}
