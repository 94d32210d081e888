package io.distributedlock.spi;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The request of one attempt.
 *
 * @param ownerId the owner id of this attempt only
 * @param ttl how long the store keeps the lease without renewal
 * @param span how many tokens to reserve with the grant, at least one; a backend may
 * grant fewer
 * @param permits the greatest number of members that the key may have with this one; zero
 * unless the mode of the target is {@link io.distributedlock.LockMode#PERMITS}
 * @param tick the tick whose single run is requested, if any
 * @param waiting whether the caller waits when the lock is busy; only then does the
 * attempt leave a mark at the store
 * @param timeout how long the store may take to answer
 * @param patience how long the attempt may block the calling thread; zero if it must not
 * block at all
 * @since 0.1.0
 */
public record LeaseRequest(OwnerId ownerId, Duration ttl, int span, int permits, @Nullable Instant tick,
		boolean waiting, Duration timeout, Duration patience) {

	/**
	 * Create a request without permits.
	 * @param ownerId the owner id of this attempt only
	 * @param ttl how long the store keeps the lease without renewal
	 * @param span how many tokens to reserve with the grant
	 * @param tick the tick whose single run is requested, if any
	 * @param waiting whether the caller waits when the lock is busy
	 * @param timeout how long the store may take to answer
	 * @param patience how long the attempt may block the calling thread
	 */
	public LeaseRequest(OwnerId ownerId, Duration ttl, int span, @Nullable Instant tick, boolean waiting,
			Duration timeout, Duration patience) {
		this(ownerId, ttl, span, 0, tick, waiting, timeout, patience);
	}

	/**
	 * Return this request with less time, for the rest of an attempt that has waited.
	 * @param left how long the store may take to answer
	 * @return the request, which must not block the calling thread
	 */
	public LeaseRequest within(Duration left) {
		return new LeaseRequest(this.ownerId, this.ttl, this.span, this.permits, this.tick, this.waiting, left,
				Duration.ZERO);
	}

}
