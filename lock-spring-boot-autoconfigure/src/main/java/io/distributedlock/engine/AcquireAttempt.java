package io.distributedlock.engine;

import java.time.Duration;

import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

/**
 * One attempt on behalf of the waiter that was at the head of the queue when it was sent.
 *
 * @param waiter the waiter
 * @param ownerId the owner id of this attempt only
 * @param sentAt the moment before it was sent
 * @param permit the permission of the circuit
 */
record AcquireAttempt(Waiter waiter, OwnerId ownerId, ClockReading sentAt, StoreCircuit.Permit permit) {

	/**
	 * Return the request to the store. Called with the monitor of the queue held.
	 * @param tokens how many tokens to reserve
	 * @param mayBlock whether the thread that sends the attempt is the waiter's own
	 */
	LeaseRequest leaseRequest(int tokens, boolean mayBlock) {
		ResolvedRequest request = this.waiter.request();
		Duration left = this.waiter.isOver() ? request.overtime() : this.waiter.timeLeft(this.sentAt.nanoTime());
		Duration maxBlockingTime = (mayBlock && !left.isNegative()) ? patience(left, request.callTimeout())
				: Duration.ZERO;
		return new LeaseRequest(this.ownerId, request.ttl(), tokens, request.permits(), request.tick(),
				!this.waiter.isOver(), request.callTimeout(), maxBlockingTime);
	}

	// A caller waits for the answer to an attempt in any case, also beyond its wait time.
	private static Duration patience(Duration left, Duration callTimeout) {
		return (left.compareTo(callTimeout) < 0) ? callTimeout : left;
	}

	/**
	 * Return whether the store has exceeded its own timeout by so much that its answer is
	 * no longer awaited.
	 */
	boolean isOverdue(long now) {
		return now - this.sentAt.nanoTime() >= this.waiter.request().silenceLimit().toNanos();
	}

}
