package io.distributedlock;

import java.time.Duration;

/**
 * Published when a store has answered, and acquisitions are sent to it again.
 *
 * @param backend the name of the backend, as in {@code lock.backends}
 * @param openFor how long the circuit was open
 * @since 0.1.0
 */
public record LockCircuitClosedEvent(String backend, Duration openFor) {

}
