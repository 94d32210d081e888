package io.distributedlock.spi;

import java.time.Duration;

/**
 * A lease to lengthen.
 *
 * @param grant the lease as it was granted
 * @param ttl how long the store keeps it from now on at least; zero only asks whether it
 * stands
 * @since 0.1.0
 */
public record Renewal(LeaseGrant grant, Duration ttl) {

	/**
	 * Only ask whether a lease stands.
	 * @param grant the lease as it was granted
	 * @return the question
	 */
	public static Renewal question(LeaseGrant grant) {
		return new Renewal(grant, Duration.ZERO);
	}

}
