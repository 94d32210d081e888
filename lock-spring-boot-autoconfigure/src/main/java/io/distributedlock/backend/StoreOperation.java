package io.distributedlock.backend;

/**
 * What a backend has between its start and its stop.
 *
 * @since 0.1.0
 */
public interface StoreOperation {

	/**
	 * Return what renews leases.
	 * @return the renewals
	 */
	LeaseRenewals renewals();

	/**
	 * Return what releases leases.
	 * @return the releases
	 */
	LeaseReleases releases();

	/**
	 * Return what looks at locks.
	 * @return the inspection
	 */
	LockInspection inspection();

}
