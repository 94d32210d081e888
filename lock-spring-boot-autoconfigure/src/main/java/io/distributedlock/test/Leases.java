package io.distributedlock.test;

/**
 * Leases for plain unit tests, without Spring and without a store.
 *
 * @since 0.1.0
 */
public final class Leases {

	private Leases() {
	}

	/**
	 * Create a lease that is held until it is released, or lost by
	 * {@link FakeLease#lose()}. It excludes no other caller and never expires by itself.
	 * @param key the key, valid by the rules of {@link io.distributedlock.LockRequest}
	 * @param token the fencing token
	 * @return the lease; {@code LockContext.runWith} shows it to the code under test
	 * @throws io.distributedlock.InvalidLockRequestException if the key is not valid
	 */
	public static FakeLease fake(String key, long token) {
		return new FakeLease(key, token);
	}

}
