package io.distributedlock.backend.redlock;

import java.time.Duration;
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
				(restMillis, roundTrip) -> busy(request, notified, restMillis, roundTrip));
		return this.nodes.ready(request.timeout())
			.thenCompose((ready) -> attempt.start())
			.whenComplete((outcome, fault) -> {
				if (outcome instanceof AttemptOutcome.Granted || outcome instanceof AttemptOutcome.Done) {
					this.waiter.leave();
				}
			});
	}

	/**
	 * Return the outcome of an attempt that was made before: its one grant, if that is
	 * held. No request is sent again.
	 */
	private AttemptOutcome again(AttemptRecord known) {
		return known.grant(this.target, this.nodes.clock().nanoTime())
			.<AttemptOutcome>map(AttemptOutcome.Granted::new)
			.orElseGet(() -> new AttemptOutcome.Unavailable(
					new LockUnavailableException("This attempt on '" + known.key() + "' was made before"), true));
	}

	private AttemptOutcome busy(LeaseRequest request, boolean notified, @Nullable Long millis, Duration roundTrip) {
		if (request.waiting()) {
			this.waiter.subscribe();
		}
		if (millis == null) {
			return new AttemptOutcome.Busy(null, this.pollDelay.afterSplit(roundTrip));
		}
		Duration rest = (millis >= 0) ? Duration.ofMillis(Math.max(1, millis)) : PollDelay.LONGEST_NOTIFIED;
		return new AttemptOutcome.Busy((millis >= 0) ? rest : null, this.pollDelay.afterBusy(rest, notified));
	}

	@Override
	public void withdraw() {
		this.waiter.leave();
	}

}
