package io.distributedlock.backend.redlock;

import java.util.List;

import io.distributedlock.backend.redis.script.Sha1Digest;

/**
 * The answer of one node to an attempt.
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
	 * Return whether the node keeps the lock for the attempt, or would do so with other
	 * tokens.
	 * @return whether it does or would
	 */
	default boolean keepsLock() {
		return this instanceof Ack || this instanceof Low;
	}

	/**
	 * The node keeps the lock for the attempt, and has acknowledged the proposed tokens.
	 *
	 * @param others the first digits of the owner ids of all other live members, if their
	 * number is limited
	 */
	record Ack(List<String> others) implements NodeVote {

		/**
		 * Create a vote that names no holders.
		 */
		public Ack() {
			this(List.of());
		}

	}

	/**
	 * The node keeps the lock for the attempt, or would let it enter the group, but the
	 * proposed tokens are too low.
	 *
	 * @param counter the value above which they must be
	 * @param index which of several keys needs the greatest tokens
	 */
	record Low(long counter, int index) implements Counted {

		/**
		 * Create a vote on one key.
		 * @param counter the value above which tokens must be
		 */
		public Low(long counter) {
			this(counter, 0);
		}

	}

	/**
	 * A vote that names the counter of a key.
	 */
	sealed interface Counted extends NodeVote {

		/**
		 * Return the counter.
		 * @return the last token of the key, or the value above which proposed tokens
		 * must be
		 */
		long counter();

		/**
		 * Return which of several keys it is.
		 * @return the index of the key
		 */
		int index();

	}

	/**
	 * The lock or the tick is not available at the node.
	 */
	sealed interface Taken extends NodeVote {

		/**
		 * Return the holder that the node names.
		 * @return a short hash of the lock's value; empty for a settled tick and for a
		 * group that is full
		 */
		String holder();

	}

	/**
	 * Another holder has the lock at the node, or it cools down.
	 *
	 * @param restMillis the rest of its TTL in ms; negative if it never expires
	 * @param counter the last token of the key; zero without a counter
	 * @param holder a short hash of the lock's value
	 * @param index which of several keys it is, the first one that is not available
	 */
	record Busy(long restMillis, long counter, String holder, int index) implements Counted, Taken {

		/**
		 * Create a vote on one key.
		 * @param restMillis the rest of its TTL in ms; negative if it never expires
		 * @param counter the last token of the key; zero without a counter
		 * @param holder a short hash of the lock's value
		 */
		public Busy(long restMillis, long counter, String holder) {
			this(restMillis, counter, holder, 0);
		}

	}

	/**
	 * The group has as many live members at the node as it may have.
	 *
	 * @param restMillis the time in ms until there is room, unless members live longer
	 * @param counter the last token of the key; zero without a counter
	 * @param others the first digits of the owner ids of the members
	 */
	record Full(long restMillis, long counter, List<String> others) implements Counted, Taken {

		@Override
		public String holder() {
			return "";
		}

		@Override
		public int index() {
			return 0;
		}

	}

	/**
	 * The node has acknowledged the tick, or a later one, to another attempt.
	 *
	 * @param tick the stored tick in ms since 1970; the previous one if the stored one
	 * may still be withdrawn and the previous one is not smaller than the requested one
	 * @param holder a short hash of the lock's value if the stored tick may still be
	 * withdrawn so that the requested one becomes available. This is so if the lock is
	 * held (not by {@code cooldown}), the counter marks its tick as one that may be
	 * withdrawn, and the previous tick is smaller than the requested one or missing.
	 * Otherwise empty: the tick is settled at the node
	 */
	record Done(long tick, String holder) implements Taken {
	}

	/**
	 * The node may have forgotten which ticks up to its tick floor have run, and can't
	 * report this one.
	 */
	record Abstained() implements NodeVote {
	}

	/**
	 * A stored value has a form that this version does not write, or no greater token can
	 * be stored. The lock counts as taken at the node, and nothing was changed.
	 *
	 * @param found what was found
	 */
	record Unknown(String found) implements NodeVote {
	}

	/**
	 * The node's state is not the expected one. The vote does not count, and the client
	 * reads the state again.
	 */
	record Quarantined() implements NodeVote {
	}

}
