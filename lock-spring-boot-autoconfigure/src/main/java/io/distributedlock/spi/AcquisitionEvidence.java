package io.distributedlock.spi;

import java.time.Duration;

/**
 * Shows that a store has granted a lease.
 *
 * @param age the time since the grant arrived
 * @param roundTrip the time from the request to the grant
 * @since 0.1.0
 */
public record AcquisitionEvidence(Duration age, Duration roundTrip) {

}
