package io.distributedlock.it.cluster;

import org.jspecify.annotations.Nullable;

/**
 * What is known of one lease afterwards. All instants are those of the machine's
 * monotonic clock.
 *
 * @param process the JVM that held it
 * @param key its key
 * @param token its fencing token
 * @param grantedAt when its holder had it in hand
 * @param validUntil until when it stood at least, as its holder knew at
 * {@code grantedAt}; not later than that where it had run out already
 * @param waited how long its holder had waited for it
 * @param end how its body ended; {@code null} where its JVM was killed before
 */
record LeaseTrace(String process, String key, long token, long grantedAt, long validUntil, long waited,
		@Nullable End end) {

	boolean wasValid() {
		return this.validUntil > this.grantedAt;
	}

	/**
	 * Return until when the lease was valid beyond doubt. Where its holder found it held
	 * at the end that is the end, since releases come later. Where it was lost, or nobody
	 * was left to release it, that is what the grant promised: renewals may have made it
	 * more.
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
		return new LeaseTrace(this.process, this.key, this.token, this.grantedAt, this.validUntil, this.waited, end);
	}

	@Override
	public String toString() {
		return this.process + " held '" + this.key + "' with token " + this.token + " from " + this.grantedAt + " to "
				+ heldUntil();
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
		 * It failed: nobody knows whether it has counted.
		 */
		FAILED

	}

}
