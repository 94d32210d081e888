package io.distributedlock;

/**
 * A body that runs while a lease is held and returns nothing.
 *
 * @param <X> the checked exception that the body may throw
 * @since 0.1.0
 */
@FunctionalInterface
public interface LeaseAction<X extends Throwable> {

	/**
	 * Run the body.
	 * @param lease the lease that is held; released by the caller of this method
	 * @throws X if the body fails
	 */
	void run(Lease lease) throws X;

}
