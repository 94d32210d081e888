package io.distributedlock.spi;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a backend can do.
 *
 * @param leaseKind what keeps a lease alive at the store
 * @param fencing whether tokens grow strictly as the table of guarantees says
 * @param sharedMode whether {@link io.distributedlock.LockMode#SHARED} is offered
 * @param severalKeys whether one grant may cover several keys
 * @param ticks whether {@link LeaseRequest#tick()} is honoured
 * @param minTtl the shortest ttl
 * @param maxTtl the longest ttl, or {@code null} where there is no limit
 * @param renewalBatch how many renewals go into one call at most
 * @since 0.1.0
 */
public record BackendTraits(LeaseKind leaseKind, boolean fencing, boolean sharedMode, boolean severalKeys,
		boolean ticks, Duration minTtl, @Nullable Duration maxTtl, int renewalBatch) {

	/**
	 * What keeps a lease alive at the store.
	 */
	public enum LeaseKind {

		/**
		 * Each lease has its own ttl there.
		 */
		PER_LOCK,

		/**
		 * All leases of a JVM live as long as its session.
		 */
		PER_SESSION

	}

}
