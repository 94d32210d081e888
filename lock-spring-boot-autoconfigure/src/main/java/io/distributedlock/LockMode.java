package io.distributedlock;

/**
 * How a lease shares its key with other leases.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/**
	 * One lease at a time.
	 */
	EXCLUSIVE,

	/**
	 * Any number of shared leases at a time, and no others meanwhile.
	 */
	SHARED,

	/**
	 * At most as many leases at a time as the request has permits, and no others
	 * meanwhile. Requested with {@link LockRequest#permits(int)}.
	 */
	PERMITS

}
