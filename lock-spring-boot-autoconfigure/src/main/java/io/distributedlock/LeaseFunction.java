package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * A body that runs while a lease is held and returns a value.
 *
 * @param <T> the type of the value
 * @param <X> the checked exception that the body may throw
 * @since 0.1.0
 */
@FunctionalInterface
public interface LeaseFunction<T extends @Nullable Object, X extends Throwable> {

	/**
	 * Run the body.
	 * @param lease the lease that is held; released by the caller of this method
	 * @return the value
	 * @throws X if the body fails
	 */
	T apply(Lease lease) throws X;

}
