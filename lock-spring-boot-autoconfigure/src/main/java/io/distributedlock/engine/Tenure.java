package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;

/**
 * The time that this JVM has a lock from the store: one grant, whose tokens its local
 * holders use one after the other.
 */
final class Tenure {

	private final LeaseGrant grant;

	private final Moment sentAt;

	private final long grantedAt;

	// Written by renewals without a lock: of two at once the earlier may win, which only
	// makes the tenure seem shorter than it is.
	private volatile long validUntil;

	// Guarded by the monitor of the key's queue.
	private int handOvers;

	Tenure(LeaseGrant grant, Moment sentAt, long grantedAt) {
		this.grant = grant;
		this.sentAt = sentAt;
		this.grantedAt = grantedAt;
		this.validUntil = grant.validUntil();
	}

	LeaseGrant grant() {
		return this.grant;
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

	/**
	 * Return whether the next holder may have the lock without asking the store: within
	 * the bounds, with at least half of its ttl left before it has to be renewed, and on
	 * a machine that did not stand still since the store was asked.
	 */
	boolean canPassTo(Acquisition next, HandOverSettings bounds, Moment now) {
		return next.canTakeOver() && !isSpent(bounds, now.nano()) && !this.sentAt.stoodStill(now, next.ttl())
				&& this.validUntil - now.nano() - next.ttl().toNanos() / 2 >= 0;
	}

	/**
	 * Return whether the bounds are reached, or the tokens used up.
	 */
	boolean isSpent(HandOverSettings bounds, long now) {
		return isOutOfTokens() || this.handOvers >= bounds.maxCount()
				|| now - this.grantedAt - bounds.maxDuration().toNanos() >= 0;
	}

	boolean isOutOfTokens() {
		return this.handOvers + 1 >= this.grant.token().count();
	}

	/**
	 * Pass on to the next holder, with the next token.
	 */
	void passOn() {
		this.handOvers++;
	}

	int handOvers() {
		return this.handOvers;
	}

	/**
	 * Return the end of validity of a lease on this tenure that begins now.
	 */
	long validUntil(Acquisition acquisition, long now) {
		long own = LockClock.validUntil(now, acquisition.ttl());
		return (own - this.validUntil < 0) ? own : this.validUntil;
	}

	/**
	 * Return how long to stay away from the store after it got the lock back, so that
	 * other JVMs reach it first: four round trips, at least 5 ms, and as much again at
	 * random.
	 */
	Duration courtesy() {
		long roundTrips = 4 * (this.grantedAt - this.sentAt.nano());
		long least = Math.max(roundTrips, TimeUnit.MILLISECONDS.toNanos(5));
		return Duration.ofNanos(least + ThreadLocalRandom.current().nextLong(least / 4));
	}

}
