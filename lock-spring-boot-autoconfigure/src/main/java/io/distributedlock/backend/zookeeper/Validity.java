package io.distributedlock.backend.zookeeper;

import java.util.function.BooleanSupplier;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.SessionValidity;

/**
 * For how long the leases of a session are valid: until half the session time-out after
 * the latest write was <em>sent</em> that the ensemble acknowledged. Reads and pings
 * prove nothing, since a server that is cut off from its leader goes on answering them
 * when the session has ended.
 * <p>
 * Once it is over it stays so, whatever is acknowledged later; the leases that come then
 * depend on a new one.
 */
final class Validity implements SessionValidity {

	private final LockClock clock;

	private final BooleanSupplier alive;

	// Both are written under the monitor. That the end has passed is found under it too,
	// so that it is not moved after somebody has seen it pass.
	private volatile long until;

	private volatile boolean over;

	/**
	 * Create a validity.
	 * @param clock the time
	 * @param alive whether the client of the session is open, for all that it knows
	 * @param until the first end
	 */
	Validity(LockClock clock, BooleanSupplier alive, long until) {
		this.clock = clock;
		this.alive = alive;
		this.until = until;
	}

	/**
	 * Move the end on, unless it has passed.
	 * @return {@code false} if it has passed
	 */
	synchronized boolean prolong(long until) {
		if (this.over || this.until - this.clock.nanoTime() <= 0) {
			this.over = true;
			return false;
		}
		if (until - this.until > 0) {
			this.until = until;
		}
		return true;
	}

	@Override
	public long nanosLeft(long now) {
		long left = this.until - now;
		return (left > 0 && !this.over && this.alive.getAsBoolean()) ? left : confirmed(now);
	}

	private synchronized long confirmed(long now) {
		if (this.until - now <= 0 || !this.alive.getAsBoolean()) {
			this.over = true;
		}
		return this.over ? 0 : this.until - now;
	}

	synchronized void end() {
		this.over = true;
	}

}
