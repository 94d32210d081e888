package io.distributedlock;

/**
 * Published when acquisitions begin to fail immediately, because a store does not answer.
 *
 * @param backend the name of the backend, as in {@code lock.backends}
 * @param cause the latest failure
 * @since 0.1.0
 */
public record LockCircuitOpenedEvent(String backend, Throwable cause) {

}
