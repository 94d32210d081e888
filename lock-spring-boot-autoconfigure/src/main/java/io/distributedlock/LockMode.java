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
	 * Any number of shared leases at a time, none of them beside an exclusive one.
	 */
	SHARED

}
