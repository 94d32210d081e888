package io.distributedlock.spi;

import java.time.Duration;

/**
 * Is told by a backend what it learns of leases without having been asked: of those that
 * it knows to be lost before the next renewal asks, as when a session ended, and of those
 * that somebody waits for elsewhere.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LossListener {

	/**
	 * Take note of a loss. Does not block.
	 * @param ownerId the owner id of the lost grant
	 */
	void lost(OwnerId ownerId);

	/**
	 * Take note that another client waits for a lock: it is not handed over inside this
	 * JVM any more, and when it has been released this JVM lets the other one try first.
	 * Does not block. A backend calls this when it learns of it at no cost, at best
	 * before it completes the answer to a {@linkplain LockBackend#renew renewal} or
	 * {@linkplain LockBackend#release release}; one that never does leaves other JVMs to
	 * the bounds of the hand-over.
	 * @param grant the lease that is in the way
	 * @param pollAfter when the other client asks again by itself, at the latest; zero
	 * where it is woken by the release
	 */
	default void wanted(LeaseGrant grant, Duration pollAfter) {
	}

}
