package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Attempts to take a lock. Keeps no place in a queue, but is notified of releases from
 * its first attempt that waits until its grant or its withdrawal.
 */
final class RedlockContender implements Contender {

	private final LockTarget target;

	private final NodeGroup nodes;

	private final ObservedCounters counters;

	private final OutstandingAttempts outstanding;

	private final RedlockPollDelay pollDelay;

	private final ReleaseWaiter waiter;

	RedlockContender(LockTarget target, ReleaseWaiter waiter, NodeGroup nodes, ObservedCounters counters,
			OutstandingAttempts outstanding) {
		this.target = target;
		this.nodes = nodes;
		this.counters = counters;
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
		// Before the attempt, which leaves the mark.
		boolean notified = request.waiting() && this.waiter.join();
		long deadline = this.nodes.clock().nanoTime() + request.timeout().toNanos();
		return this.nodes.ready(request.timeout())
			.thenCompose((ready) -> new RedlockAttempt(this.nodes, this.counters, this.outstanding, this.target.key(),
					request, deadline)
				.start())
			.thenApply((verdict) -> outcome(request, notified, verdict));
	}

	/**
	 * An attempt is one set of requests: it ends in the one grant that it has ended in.
	 */
	private AttemptOutcome again(AttemptRecord known) {
		return known.grant(this.target, this.nodes.clock().nanoTime())
			.<AttemptOutcome>map(AttemptOutcome.Granted::new)
			.orElseGet(() -> new AttemptOutcome.Unavailable(
					new LockUnavailableException("This attempt on '" + known.key() + "' was made before"), true));
	}

	private AttemptOutcome outcome(LeaseRequest request, boolean notified, RedlockAttempt.Verdict verdict) {
		if (verdict instanceof RedlockAttempt.Verdict.Granted granted) {
			this.waiter.leave();
			return new AttemptOutcome.Granted(
					new LeaseGrant(this.target, request.ownerId(), granted.tokens(), granted.validUntil()));
		}
		if (verdict instanceof RedlockAttempt.Verdict.Done done) {
			this.waiter.leave();
			return new AttemptOutcome.Done(Instant.ofEpochMilli(done.tick()), Instant.ofEpochMilli(done.latest()));
		}
		if (verdict instanceof RedlockAttempt.Verdict.Unavailable unavailable) {
			return new AttemptOutcome.Unavailable(unavailable.cause(), unavailable.sent());
		}
		if (request.waiting()) {
			this.waiter.subscribe();
		}
		return busy(notified, (RedlockAttempt.Verdict.Refused) verdict);
	}

	private AttemptOutcome busy(boolean notified, RedlockAttempt.Verdict.Refused refused) {
		Long millis = refused.restMillis();
		if (millis == null) {
			return new AttemptOutcome.Busy(null, this.pollDelay.afterSplit(refused.roundTrip()));
		}
		Duration rest = (millis >= 0) ? Duration.ofMillis(Math.max(1, millis)) : PollDelay.LONGEST_NOTIFIED;
		return new AttemptOutcome.Busy((millis >= 0) ? rest : null, this.pollDelay.afterBusy(rest, notified));
	}

	@Override
	public void withdraw() {
		this.waiter.leave();
	}

}
