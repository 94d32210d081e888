package io.distributedlock;

import java.time.Duration;

/**
 * Published when a store as a whole grants no leases for a while, because it may have
 * forgotten leases that are still held: a Redis with
 * {@code lock.redis.failover-quarantine} that is new, was restarted or was failed over
 * to. It is published again if the quarantine begins anew.
 *
 * @param backend the name of the backend, as in {@code lock.backends}
 * @param remaining the minimum remaining time of the quarantine
 * @since 0.1.0
 */
public record LockQuarantineBegunEvent(String backend, Duration remaining) {

}
