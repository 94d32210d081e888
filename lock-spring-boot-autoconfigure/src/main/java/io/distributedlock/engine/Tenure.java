package io.distributedlock.engine;

import io.distributedlock.spi.LeaseGrant;

/**
 * The time that this JVM has a lock from the store: one grant, whose tokens its local
 * holders use one after the other.
 */
final class Tenure {

	private final LeaseGrant grant;

	private final long grantedAt;

	// Both written by the one lease that has the tenure, or by the queue between two
	// leases;
	// each hand-over happens under the queue's lock, which orders the two. Volatile for
	// the
	// sweep of the renewals, which reads without it.
	private volatile long validUntil;

	private volatile int handOvers;

	Tenure(LeaseGrant grant, long grantedAt) {
		this.grant = grant;
		this.grantedAt = grantedAt;
		this.validUntil = grant.validUntil();
	}

	LeaseGrant grant() {
		return this.grant;
	}

	long grantedAt() {
		return this.grantedAt;
	}

	long validUntil() {
		return this.validUntil;
	}

	void renewed(long until) {
		if (until - this.validUntil > 0) {
			this.validUntil = until;
		}
	}

	/**
	 * Return the token of the present holder.
	 */
	long token() {
		return this.grant.token().first() + this.handOvers;
	}

}
