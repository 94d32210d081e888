package io.distributedlock.backend.redlock;

import java.util.SplittableRandom;

import io.distributedlock.LockMode;

/**
 * How the clients of a history use the keys.
 */
enum Usage {

	/**
	 * Exclusive leases only.
	 */
	EXCLUSIVE(1, 0, 0),

	/**
	 * Mostly readers.
	 */
	READERS(0.2, 0.8, 0),

	/**
	 * Mostly two permits.
	 */
	PERMITS(0.15, 0, 0.85),

	/**
	 * Permits whose number changes from one request to the next.
	 */
	CHANGING_PERMITS(0.15, 0, 0.85),

	/**
	 * Readers, permits and exclusive leases on the same keys.
	 */
	BOTH_KINDS(0.2, 0.4, 0.4),

	/**
	 * One key or several together, by writers and readers.
	 */
	SETS(0.6, 0.4, 0);

	private final double exclusive;

	private final double shared;

	Usage(double exclusive, double shared, double permits) {
		this.exclusive = exclusive;
		this.shared = shared;
		if (Math.abs(exclusive + shared + permits - 1) > 1e-9) {
			throw new IllegalArgumentException("The shares of " + name() + " are not all requests");
		}
	}

	boolean hasGroups() {
		return this != EXCLUSIVE;
	}

	boolean hasSets() {
		return this == SETS;
	}

	LockMode mode(SplittableRandom random) {
		if (!hasGroups()) {
			return LockMode.EXCLUSIVE;
		}
		double which = random.nextDouble();
		if (which < this.exclusive) {
			return LockMode.EXCLUSIVE;
		}
		return (which < this.exclusive + this.shared) ? LockMode.SHARED : LockMode.PERMITS;
	}

	int permits(LockMode mode, SplittableRandom random) {
		if (mode != LockMode.PERMITS) {
			return 0;
		}
		return (this == CHANGING_PERMITS) ? 1 + random.nextInt(4) : 2;
	}

}
