package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * Attempts to acquire a lock. It has no place in a queue, but is notified of releases.
 * Notifications begin with its first attempt that waits, and end with a grant, a tick
 * that has run or its withdrawal.
 */
final class RedlockContender implements Contender {

	private final LockTarget target;

	private final NodeGroup nodes;

	private final OutstandingAttempts outstanding;

	private final RedlockPollDelay pollDelay;

	private final ReleaseWaiter waiter;

	// Created by the first attempt that waits and meets a group, since most meet none.
	private volatile @Nullable GroupDoors doors;

	private volatile boolean withdrawn;

	RedlockContender(LockTarget target, ReleaseWaiter waiter, NodeGroup nodes, OutstandingAttempts outstanding) {
		this.target = target;
		this.nodes = nodes;
		this.outstanding = outstanding;
		this.pollDelay = new RedlockPollDelay(nodes.random());
		this.waiter = waiter;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		AttemptRecord known = this.outstanding.find(request.ownerId());
		if (known != null) {
			return CompletableFuture.completedStage(again(known));
		}
		// Before the attempt, which sets the waiters' mark.
		boolean notified = request.waiting() && this.waiter.join();
		RedlockAttempt attempt = new RedlockAttempt(this.nodes, this.outstanding, this.target, request,
				(votes, roundTrip) -> busy(request, notified, votes, roundTrip));
		return this.nodes.ready(request.timeout())
			.thenCompose((ready) -> attempt.start())
			.whenComplete((outcome, fault) -> {
				if (outcome instanceof AttemptOutcome.Granted || outcome instanceof AttemptOutcome.Done) {
					this.waiter.leave();
					openDoors(false);
				}
			});
	}

	/**
	 * Return the outcome of an attempt that was made before: its one grant, if that is
	 * held. No request is sent again.
	 */
	private AttemptOutcome again(AttemptRecord known) {
		return known.grant(this.nodes.clock().nanoTime())
			.<AttemptOutcome>map(AttemptOutcome.Granted::new)
			.orElseGet(() -> new AttemptOutcome.Unavailable(
					new LockUnavailableException("This attempt on '" + known.keys() + "' was made before"), true));
	}

	private CompletionStage<AttemptOutcome> busy(LeaseRequest request, boolean notified, VoteCount votes,
			Duration roundTrip) {
		if (request.waiting()) {
			this.waiter.subscribe();
		}
		AttemptOutcome.Busy busy = busy(notified, votes, roundTrip);
		if (request.waiting() && !this.target.isGroup()) {
			List<String> groups = votes.groups().mapToObj(this.target.keys()::get).toList();
			if (!groups.isEmpty()) {
				return closeDoors(request.ownerId(), groups, busy.pollAfter()).thenApply((closed) -> busy);
			}
		}
		return CompletableFuture.completedStage(busy);
	}

	/**
	 * Keep new members out of the groups until the next attempt. An attempt may meet them
	 * after the withdrawal.
	 */
	private CompletionStage<Void> closeDoors(OwnerId attempt, List<String> groups, Duration pollAfter) {
		GroupDoors closed = (this.doors != null) ? this.doors : new GroupDoors(this.nodes, attempt);
		this.doors = closed;
		CompletionStage<Void> done = closed.close(groups, pollAfter);
		if (this.withdrawn) {
			openDoors(true);
		}
		return done;
	}

	private void openDoors(boolean notifiesWaiters) {
		GroupDoors closed = this.doors;
		if (closed != null) {
			closed.open(notifiesWaiters);
		}
	}

	private AttemptOutcome.Busy busy(boolean notified, VoteCount votes, Duration roundTrip) {
		Long millis = votes.restOfHolders().orElse(null);
		if (millis == null) {
			return new AttemptOutcome.Busy(null, this.pollDelay.afterSplit(roundTrip));
		}
		Duration rest = (millis >= 0) ? Duration.ofMillis(Math.max(1, millis)) : PollDelay.LONGEST_NOTIFIED;
		return new AttemptOutcome.Busy((millis >= 0) ? rest : null,
				this.pollDelay.afterBusy(rest, notified && votes.hasMarks()));
	}

	@Override
	public void withdraw() {
		this.waiter.leave();
		this.withdrawn = true;
		openDoors(true);
	}

}
