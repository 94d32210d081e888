package io.distributedlock.it.cluster;

import org.jspecify.annotations.Nullable;

/**
 * The record of one lease. All instants are those of the machine's monotonic clock.
 *
 * @param process the JVM that held it
 * @param key its key
 * @param token its fencing token
 * @param mode how its request shared the key
 * @param grantedAt when its holder had received it
 * @param validUntil until when it was valid at least, as its holder knew at
 * {@code grantedAt}; not later than that if it had expired already
 * @param waited how long its holder had waited for it
 * @param end how its body ended; {@code null} if its JVM was killed before
 */
record LeaseTrace(String process, String key, long token, RequestedMode mode, long grantedAt, long validUntil,
		long waited, @Nullable End end) {

	/**
	 * Return when its holder began to wait for it.
	 */
	long askedAt() {
		return this.grantedAt - this.waited;
	}

	boolean wasValid() {
		return this.validUntil > this.grantedAt;
	}

	/**
	 * Return until when the lease was certainly valid. If its holder found it held at the
	 * end of the body, this is that end, because the release follows. If it was lost, or
	 * its JVM was killed, this is the time that the grant promised; renewals may have
	 * extended it.
	 */
	long heldUntil() {
		if (this.end == null) {
			return this.validUntil;
		}
		return (this.end.outcome() == Outcome.HELD) ? this.end.at() : Math.min(this.end.at(), this.validUntil);
	}

	boolean isLost() {
		return !wasValid() || (this.end != null && this.end.outcome() == Outcome.LOST);
	}

	boolean isCompleted() {
		return this.end != null && this.end.outcome() != Outcome.FAILED;
	}

	LeaseTrace endedBy(End end) {
		return new LeaseTrace(this.process, this.key, this.token, this.mode, this.grantedAt, this.validUntil,
				this.waited, end);
	}

	@Override
	public String toString() {
		return this.process + " held '" + this.key + "' as " + this.mode + " with token " + this.token + " from "
				+ this.grantedAt + " to " + heldUntil();
	}

	/**
	 * The end of a body.
	 *
	 * @param at when, still before the release
	 * @param outcome how
	 */
	record End(long at, Outcome outcome) {
	}

	/**
	 * How a body ended.
	 */
	enum Outcome {

		/**
		 * It ended, and the lease was held.
		 */
		HELD,
		/**
		 * It ended or failed, but the lease was no longer held.
		 */
		LOST,
		/**
		 * It failed, and may or may not have counted.
		 */
		FAILED

	}

}
