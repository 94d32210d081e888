package io.distributedlock.spi;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What one attempt asks for.
 *
 * @param ownerId the owner id of this attempt and of no other
 * @param ttl how long the store keeps the lease without renewal
 * @param span how many tokens to reserve with the grant, at least one; a backend may
 * grant fewer
 * @param tick the tick whose one run is asked for, if any
 * @param waiting whether the caller waits when the lock is busy: only then the attempt
 * leaves a mark at the store
 * @param timeout how long the store may take to answer
 * @param patience how long the calling thread may be blocked by the attempt; zero where
 * it must not be blocked at all
 * @since 0.1.0
 */
public record LeaseRequest(OwnerId ownerId, Duration ttl, int span, @Nullable Instant tick, boolean waiting,
		Duration timeout, Duration patience) {
}
