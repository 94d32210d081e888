package io.distributedlock;

/**
 * Published when the quarantine of a store is over, and it grants leases again.
 *
 * @param backend the name of the backend, as in {@code lock.backends}
 * @since 0.1.0
 */
public record LockQuarantineEndedEvent(String backend) {

}
