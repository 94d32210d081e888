package io.distributedlock.backend.redlock;

import java.util.List;

/**
 * Whether a lease stands at one node.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
public enum LeaseStanding {

	/**
	 * The node has nothing of it.
	 */
	GONE,

	/**
	 * It stands.
	 */
	STANDS,

	/**
	 * It stands, and a waiter for an exclusive lock keeps new members out of its group.
	 */
	CONTENDED,

	/**
	 * It was put back, and attempts that have not seen it there may still be under way.
	 * It does not count until they are over.
	 */
	TOO_NEW,

	/**
	 * Its counter or token has a form that this version does not write.
	 */
	UNKNOWN;

	/**
	 * Return how a lease stands, given how each of its locks does. One that is gone is
	 * decisive.
	 */
	static LeaseStanding ofAll(List<LeaseStanding> locks) {
		LeaseStanding all = STANDS;
		for (LeaseStanding one : locks) {
			if (one == GONE) {
				return GONE;
			}
			if (one.compareTo(all) > 0) {
				all = one;
			}
		}
		return all;
	}

	/**
	 * Return whether it counts for its lease.
	 */
	boolean counts() {
		return this == STANDS || this == CONTENDED;
	}

}
