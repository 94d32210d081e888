package io.distributedlock.backend.redlock;

import io.distributedlock.backend.redis.script.Sha1Digest;

/**
 * What one node says to an attempt.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
public sealed interface NodeVote {

	/**
	 * Return the short hash by which nodes name the value of a lock.
	 * @param value the value
	 * @return the first twelve hexadecimal digits of its SHA-1
	 */
	static String hash(String value) {
		return Sha1Digest.hex(value).substring(0, 12);
	}

	/**
	 * Return whether the node keeps the lock for the attempt.
	 * @return whether it does, with the proposed tokens or without
	 */
	default boolean keepsLock() {
		return this instanceof Ack || this instanceof Low;
	}

	/**
	 * The lock is the attempt's here, and so are the proposed tokens.
	 */
	record Ack() implements NodeVote {
	}

	/**
	 * The lock is the attempt's here, the proposed tokens are not.
	 *
	 * @param counter what they must be above
	 */
	record Low(long counter) implements Counted {
	}

	/**
	 * The node has named the counter of the key.
	 */
	sealed interface Counted extends NodeVote {

		/**
		 * Return the counter.
		 * @return the last token of the key, or what proposed tokens must be above
		 */
		long counter();

	}

	/**
	 * The lock or the tick is not to be had here.
	 */
	sealed interface Taken extends NodeVote {

		/**
		 * Return what the node names in its place.
		 * @return a short hash of a lock's value
		 */
		String holder();

	}

	/**
	 * Somebody else has the lock here, or it cools down.
	 *
	 * @param restMillis how long still; negative if for ever
	 * @param counter the last token of the key, zero where there is none
	 * @param holder a short hash of the lock's value
	 */
	record Busy(long restMillis, long counter, String holder) implements Counted, Taken {
	}

	/**
	 * The tick, or a later one, was acknowledged to somebody here.
	 *
	 * @param tick the stored tick in ms since 1970; the one before where that is not
	 * smaller than the wanted one and the stored one may still be withdrawn
	 * @param holder a short hash of the lock's value while whoever stored the tick may
	 * still withdraw it so that the wanted one could be had: the lock is held (not by
	 * {@code cooldown}), the counter has the tick before with it, and that one is smaller
	 * than the wanted one or none. Else empty: the tick is settled here
	 */
	record Done(long tick, String holder) implements Taken {
	}

	/**
	 * The node has forgotten which ticks up to its tick floor have run, and can't tell of
	 * this one.
	 */
	record Abstained() implements NodeVote {
	}

	/**
	 * Something has a form that this version does not write: the lock is taken here, and
	 * nothing was changed.
	 *
	 * @param found what was found
	 */
	record Unknown(String found) implements NodeVote {
	}

	/**
	 * The node's state is not the expected one: the vote does not count, and the state is
	 * to be read again.
	 */
	record Quarantined() implements NodeVote {
	}

}
