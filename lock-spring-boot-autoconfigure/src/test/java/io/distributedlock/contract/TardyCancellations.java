package io.distributedlock.contract;

import java.time.Duration;

import io.distributedlock.spi.LockClock;

/**
 * A clock that can run timeouts although they were cancelled, as may happen to any
 * timeout that begins at the moment of its cancellation.
 */
final class TardyCancellations extends DecoratedClock {

	private volatile boolean tardy;

	TardyCancellations(LockClock clock) {
		super(clock);
	}

	/**
	 * Let all timeouts fire from now on, including cancelled ones.
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
