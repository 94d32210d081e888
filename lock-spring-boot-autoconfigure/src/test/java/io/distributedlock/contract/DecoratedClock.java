package io.distributedlock.contract;

import java.time.Duration;

import io.distributedlock.spi.LockClock;

/**
 * A clock that hands everything on; subclasses change what they want to be different.
 *
 * @since 0.1.0
 */
public abstract class DecoratedClock implements LockClock {

	private final LockClock delegate;

	/**
	 * Create a decorator.
	 * @param delegate the clock to hand on to
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
