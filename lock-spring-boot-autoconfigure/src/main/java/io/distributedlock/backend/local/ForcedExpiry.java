package io.distributedlock.backend.local;

import io.distributedlock.spi.SessionValidity;

/**
 * Lets a lease run out before its time, as tests ask for. The engine finds it where it
 * finds the end of a session at other stores, so that nothing of a holder's way to learn
 * of its loss is left out.
 */
final class ForcedExpiry implements SessionValidity {

	// Written under the lock of the store, read by holders without it.
	private volatile boolean over;

	void end() {
		this.over = true;
	}

	@Override
	public long nanosLeft(long now) {
		return this.over ? 0 : Long.MAX_VALUE;
	}

}
