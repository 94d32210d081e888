package io.distributedlock.contract;

import java.time.Duration;

import io.distributedlock.spi.LockClock;

/**
 * A clock that delegates all calls; subclasses override some of them.
 *
 * @since 0.1.0
 */
public abstract class DecoratedClock implements LockClock {

	private final LockClock delegate;

	/**
	 * Create a decorator.
	 * @param delegate the clock to delegate to
	 */
	protected DecoratedClock(LockClock delegate) {
		this.delegate = delegate;
	}

	@Override
	public long nanoTime() {
		return this.delegate.nanoTime();
	}

	@Override
	public long wallMillis() {
		return this.delegate.wallMillis();
	}

	@Override
	public Timeout schedule(Duration delay, Runnable task) {
		return this.delegate.schedule(delay, task);
	}

}
