package io.distributedlock.backend.session;

import java.util.function.BooleanSupplier;

import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.SessionValidity;

/**
 * Limits the validity of a session's leases to a time after the latest acknowledged proof
 * was <em>sent</em>.
 * <p>
 * Once it has passed, it stays so even if further proofs are acknowledged. Later leases
 * depend on a new validity.
 */
final class ProvenValidity implements SessionValidity {

	private final LockClock clock;

	private final BooleanSupplier alive;

	// Both are written under the monitor. The passing of the end is also established
	// under it, so that the end is not moved after a reader has seen it pass.
	private volatile long until;

	private volatile boolean over;

	/**
	 * Create a validity.
	 * @param clock the time
	 * @param alive whether the client considers the session open
	 * @param until the first end
	 */
	ProvenValidity(LockClock clock, BooleanSupplier alive, long until) {
		this.clock = clock;
		this.alive = alive;
		this.until = until;
	}

	/**
	 * Move the end, unless it has passed.
	 * @return {@code false} if it has passed
	 */
	synchronized boolean moveTo(long until) {
		if (this.over || this.until - this.clock.nanoTime() <= 0) {
			this.over = true;
			return false;
		}
		this.until = until;
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
