package io.distributedlock.spi;

import java.time.Duration;

/**
 * A lease to renew.
 *
 * @param grant the lease as it was granted
 * @param ttl the minimum time for which the store keeps it from now on; zero only asks
 * whether it still exists
 * @since 0.1.0
 */
public record Renewal(LeaseGrant grant, Duration ttl) {

	/**
	 * Create a renewal of zero length, which only asks whether a lease still exists.
	 * @param grant the lease as it was granted
	 * @return the question
	 */
	public static Renewal question(LeaseGrant grant) {
		return new Renewal(grant, Duration.ZERO);
	}

}
