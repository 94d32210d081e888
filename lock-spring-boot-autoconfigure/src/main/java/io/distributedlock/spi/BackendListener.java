package io.distributedlock.spi;

import java.time.Duration;

/**
 * Receives notifications of a connection. One kind reports the loss of a lease before the
 * next renewal would detect it, for example because a session ended. Another reports that
 * another client waits for a lease. The others report that the store grants none for a
 * while.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface BackendListener {

	/**
	 * Called when a lease is lost. Does not block.
	 * @param ownerId the owner id of the lost grant
	 */
	void leaseLost(OwnerId ownerId);

	/**
	 * Called when another client waits for a lock. The lease is then no longer handed
	 * over inside this JVM, and after its release this JVM lets the other client try
	 * first. Does not block.
	 * <p>
	 * A backend calls this method if it detects the other client without extra cost,
	 * preferably before it completes the answer to a {@linkplain BackendConnection#renew
	 * renewal} or {@linkplain BackendConnection#release release}. If a backend never
	 * calls it, only the bounds of the hand-over give other JVMs their turn.
	 * @param grant the lease that the other client waits for
	 * @param pollAfter the longest time until the other client polls again; zero if the
	 * release wakes it
	 */
	default void contended(LeaseGrant grant, Duration pollAfter) {
	}

	/**
	 * Called when the store as a whole grants no leases for a while, because it may have
	 * forgotten leases that are still held, and again if that begins anew. Does not
	 * block.
	 * @param remaining the minimum remaining time
	 */
	default void quarantineBegun(Duration remaining) {
	}

	/**
	 * Called when such a quarantine is over. Does not block.
	 */
	default void quarantineEnded() {
	}

}
