package io.distributedlock.engine;

/**
 * How many leases and waiters one instance of an application may have.
 *
 * @param maxHeld leases in all
 * @param maxHeldPerName leases of requests with the same name
 * @param maxWaiters waiting calls in all
 * @param maxWaitersPerName waiting calls with the same name
 * @param maxKeys keys of one request
 * @since 0.1.0
 */
public record LimitSettings(int maxHeld, int maxHeldPerName, int maxWaiters, int maxWaitersPerName, int maxKeys) {

	/**
	 * Represents "without limit".
	 */
	public static final int UNLIMITED = Integer.MAX_VALUE;

	/**
	 * The default number of keys.
	 */
	public static final int MAX_KEYS = 100;

	/**
	 * No limits, except for the default number of keys.
	 */
	public static final LimitSettings NONE = new LimitSettings(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED, MAX_KEYS);

	/**
	 * Create limits of leases and waiters, with the default number of keys.
	 * @param maxHeld leases in all
	 * @param maxHeldPerName leases of requests with the same name
	 * @param maxWaiters waiting calls in all
	 * @param maxWaitersPerName waiting calls with the same name
	 */
	public LimitSettings(int maxHeld, int maxHeldPerName, int maxWaiters, int maxWaitersPerName) {
		this(maxHeld, maxHeldPerName, maxWaiters, maxWaitersPerName, MAX_KEYS);
	}

	/**
	 * Return whether leases or waiters have to be counted.
	 */
	boolean countsAny() {
		return Math.min(Math.min(this.maxHeld, this.maxHeldPerName),
				Math.min(this.maxWaiters, this.maxWaitersPerName)) < UNLIMITED;
	}

}
