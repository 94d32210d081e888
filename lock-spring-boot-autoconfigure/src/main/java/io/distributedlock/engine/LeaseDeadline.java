package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.spi.ClockReading;

/**
 * Determines until when a lease is valid by the clock of this JVM. The validity is
 * bounded by the maximum hold, by the store's last confirmation, and by the session on
 * which the lease depends. A suspected lease may end earlier than it seems, because the
 * machine may have stood still.
 * <p>
 * Changes are guarded by the monitor of the lease. Reads need no lock: a deadline that
 * has passed is never moved.
 */
final class LeaseDeadline {

	private final CohortGrant cohort;

	private volatile long holdUntil;

	private volatile long validUntil;

	// By how many nanoseconds the deadline may be earlier than it seems; not zero for a
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
	 * Bound the hold of a lease that has had no bound so far.
	 * @param until the end of the maximum hold
	 */
	void limitHold(long until) {
		this.holdUntil = until;
	}

	/**
	 * Return the apparent time until the deadline.
	 */
	long nanosLeft(long now) {
		return Math.min(Math.min(this.validUntil - now, this.holdUntil - now), this.cohort.sessionLeft(now));
	}

	/**
	 * Return the remaining time according to the store's last confirmation.
	 */
	long nanosConfirmed(long now) {
		return this.validUntil - now;
	}

	/**
	 * Return the remaining time of the maximum hold.
	 */
	Duration holdLeft(long now) {
		return Duration.ofNanos(this.holdUntil - now);
	}

	boolean isSuspected() {
		return this.doubt != 0;
	}

	/**
	 * Suspect that the deadline is earlier than it seems.
	 * @param nanosGained by how much at most
	 */
	void suspect(long nanosGained, long now) {
		this.doubtedAt = now;
		this.doubt += nanosGained;
	}

	/**
	 * Return whether the answer to a request counts. For a suspected lease the request
	 * has to have been sent after the suspicion arose.
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
	 * Process the store's confirmation of the lease until the given time.
	 */
	void confirm(long until) {
		if (this.doubt != 0) {
			// The previous validity no longer counts.
			this.validUntil = until;
			this.doubt = 0;
		}
		else if (until - this.validUntil > 0) {
			this.validUntil = until;
		}
	}

}
