package io.distributedlock.engine;

/**
 * How many leases and waiters one instance of an application may have.
 *
 * @param maxHeld leases in all
 * @param maxHeldPerName leases of requests with the same name
 * @param maxWaiters waiting calls in all
 * @param maxWaitersPerName waiting calls with the same name
 * @since 0.1.0
 */
public record LimitSettings(int maxHeld, int maxHeldPerName, int maxWaiters, int maxWaitersPerName) {

	/**
	 * Represents "without limit".
	 */
	public static final int UNLIMITED = Integer.MAX_VALUE;

	/**
	 * No limits.
	 */
	public static final LimitSettings NONE = new LimitSettings(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);

}
