package io.distributedlock.spi;

import java.time.Duration;

/**
 * Receives what a connection learns about leases without having been asked: that one is
 * lost before the next renewal asks, as when a session ended, or that another client
 * waits for one.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface BackendListener {

	/**
	 * Take note that a lease is lost. Does not block.
	 * @param ownerId the owner id of the lost grant
	 */
	void leaseLost(OwnerId ownerId);

	/**
	 * Take note that another client waits for a lock: it is not handed over inside this
	 * JVM any more, and when it has been released this JVM lets the other one try first.
	 * Does not block. A backend calls this when it learns of it at no cost, at best
	 * before it completes the answer to a {@linkplain BackendConnection#renew renewal} or
	 * {@linkplain BackendConnection#release release}; one that never does leaves other
	 * JVMs to the bounds of the hand-over.
	 * @param grant the lease that is in the way
	 * @param pollAfter when the other client asks again by itself, at the latest; zero if
	 * it is woken by the release
	 */
	default void contended(LeaseGrant grant, Duration pollAfter) {
	}

}
