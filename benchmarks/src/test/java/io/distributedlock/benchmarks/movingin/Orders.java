package io.distributedlock.benchmarks.movingin;

/**
 * What the code of the guides calls while it holds its locks.
 */
@FunctionalInterface
interface Orders {

	void ship(long orderId);

}
