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
	 * Any number of shared leases at a time, but only while there is no exclusive lease.
	 */
	SHARED

}
