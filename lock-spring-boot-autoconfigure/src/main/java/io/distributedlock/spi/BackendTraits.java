package io.distributedlock.spi;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The capabilities of a backend.
 *
 * @param leaseKind what keeps a lease alive at the store
 * @param fencing whether tokens grow strictly, as documented in the guarantees
 * @param sharedMode whether {@link io.distributedlock.LockMode#SHARED} is offered
 * @param maxPermits the greatest number of permits of a request, zero if
 * {@link io.distributedlock.LockMode#PERMITS} is not offered
 * @param ticks whether {@link LeaseRequest#tick()} is honoured
 * @param minTtl the shortest TTL
 * @param maxTtl the longest TTL, or {@code null} if there is no limit
 * @param renewalBatch the greatest number of renewals in one call
 * @since 0.1.0
 */
public record BackendTraits(LeaseKind leaseKind, boolean fencing, boolean sharedMode, int maxPermits, boolean ticks,
		Duration minTtl, @Nullable Duration maxTtl, int renewalBatch) {

	/**
	 * What keeps a lease alive at the store.
	 */
	public enum LeaseKind {

		/**
		 * Each lease has its own TTL at the store.
		 */
		PER_LOCK,

		/**
		 * All leases of a JVM live as long as its session.
		 */
		PER_SESSION

	}

}
