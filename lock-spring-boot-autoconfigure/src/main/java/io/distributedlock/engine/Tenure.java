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

	// This field and those below are guarded by the monitor of the key's queue.
	private int handOvers;

	private boolean wanted;

	private long polledAt;

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
				&& this.validUntil - now.nano() - next.ttl().toNanos() / 2 >= 0 && sessionLeft(now.nano()) > 0;
	}

	/**
	 * Return what is left of the validity of the session on which this tenure depends.
	 */
	long sessionLeft(long now) {
		return this.grant.session().nanosLeft(now);
	}

	/**
	 * Take note that another JVM waits.
	 * @param pollsAt when it asks the store again by itself, at the latest
	 */
	void wanted(long pollsAt) {
		this.wanted = true;
		this.polledAt = pollsAt;
	}

	/**
	 * Return whether others have to get their turn: another JVM is known to wait, or may
	 * wait for all that is known and what is passed on has come to its bounds.
	 */
	boolean owesOthers(HandOverSettings bounds, long now) {
		return this.wanted || (this.handOvers > 0 && isSpent(bounds, now));
	}

	/**
	 * Return whether another JVM waits, the bounds are reached, or the tokens used up.
	 */
	boolean isSpent(HandOverSettings bounds, long now) {
		return this.wanted || isOutOfTokens() || this.handOvers >= bounds.maxCount()
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
	 * other JVMs reach it first: four round trips, at least 5 ms, and up to a quarter
	 * more at random, but hardly longer than a tenure may last, since the one round trip
	 * that is known may have had to connect first. Where another JVM is known to wait,
	 * nothing is lost by leaving it twice as long, counted from when it asks again.
	 */
	Duration courtesy(HandOverSettings bounds, long now) {
		long roundTrips = Math.min(4 * (this.grantedAt - this.sentAt.nano()), bounds.maxDuration().toNanos());
		long least = Math.max(roundTrips, TimeUnit.MILLISECONDS.toNanos(5));
		long jitter = ThreadLocalRandom.current().nextLong(least / 4);
		return Duration.ofNanos(this.wanted ? Math.max(0, this.polledAt - now) + 2 * least + jitter : least + jitter);
	}

}
