package io.distributedlock.engine;

import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.OwnerId;

/**
 * One attempt on behalf of the waiter that was at the head of the queue when it was sent.
 *
 * @param waiter the waiter
 * @param ownerId the owner id of this attempt and of no other
 * @param sentAt the moment before it was sent
 */
record Attempt(Waiter waiter, OwnerId ownerId, ClockReading sentAt) {

	/**
	 * Return whether the store has broken its own time-out by so much that it can't be
	 * waited for.
	 */
	boolean isOverdue(long now) {
		return now - this.sentAt.nanoTime() >= this.waiter.acquisition().silenceLimit().toNanos();
	}

}
