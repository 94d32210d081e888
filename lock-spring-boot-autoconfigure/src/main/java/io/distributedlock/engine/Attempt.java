package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

/**
 * One attempt on behalf of the waiter that was at the head of the queue when it was sent.
 *
 * @param waiter the waiter
 * @param ownerId the owner id of this attempt and of no other
 * @param sentAt the moment before it was sent
 */
record Attempt(Waiter waiter, OwnerId ownerId, Moment sentAt) {

	CompletionStage<AttemptOutcome> send(Supplier<Contender> contender, LeaseRequest request) {
		try {
			return contender.get().attempt(request);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.completedFuture(new AttemptOutcome.Unavailable(ex, true));
		}
	}

	/**
	 * Return whether the store has broken its own time-out by so much that it can't be
	 * waited for.
	 */
	boolean isOverdue(long now) {
		return now - this.sentAt.nano() > 2 * this.waiter.acquisition().callTimeout().toNanos();
	}

}
