package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.spi.ClockReading;

/**
 * Until when a lease is valid by the clock of this JVM: at most until its maximum hold,
 * and for as long as the store's last word and the session behind it count. A suspected
 * lease may be over earlier than it seems, because the machine may have stood still.
 * <p>
 * Changes are guarded by the monitor of the lease. Reads need no lock: a deadline that
 * has passed is never moved.
 */
final class LeaseDeadline {

	private final CohortGrant cohort;

	private final long holdUntil;

	private volatile long validUntil;

	// By how many nanoseconds the deadline may be nearer than it seems; not zero for a
	// suspected lease.
	private volatile long doubt;

	// When the latest suspicion arose; written before the doubt.
	private volatile long doubtedAt;

	LeaseDeadline(CohortGrant cohort, long holdUntil, long validUntil) {
		this.cohort = cohort;
		this.holdUntil = holdUntil;
		this.validUntil = validUntil;
	}

	/**
	 * Return what is left until the deadline, as it seems.
	 */
	long nanosLeft(long now) {
		return Math.min(Math.min(this.validUntil - now, this.holdUntil - now), this.cohort.sessionLeft(now));
	}

	/**
	 * Return what is left by the store's last word.
	 */
	long nanosConfirmed(long now) {
		return this.validUntil - now;
	}

	/**
	 * Return what is left of the maximum hold.
	 */
	Duration holdLeft(long now) {
		return Duration.ofNanos(this.holdUntil - now);
	}

	boolean isSuspected() {
		return this.doubt != 0;
	}

	/**
	 * Suspect that the deadline is nearer than it seems.
	 * @param nanosGained by how much at most
	 */
	void suspect(long nanosGained, long now) {
		this.doubtedAt = now;
		this.doubt += nanosGained;
	}

	/**
	 * Return whether an answer counts to what was sent at a moment: of a suspected lease
	 * only one that was sent after the suspicion arose.
	 */
	boolean counts(ClockReading sentAt) {
		return this.doubt == 0 || sentAt.nanoTime() - this.doubtedAt >= 0;
	}

	/**
	 * Return whether a suspected lease may be over.
	 */
	boolean mayBeOver(long now) {
		return this.doubt != 0 && nanosLeft(now) <= this.doubt;
	}

	/**
	 * Take the store's word on how long the lease is valid.
	 */
	void confirm(long until) {
		if (this.doubt != 0) {
			// What was known before counts no more.
			this.validUntil = until;
			this.doubt = 0;
		}
		else if (until - this.validUntil > 0) {
			this.validUntil = until;
		}
	}

}
