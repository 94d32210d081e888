package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Attempts to take a lock. Keeps no place in line, but hears of releases from its first
 * attempt that waits until its grant or its withdrawal.
 */
final class RedlockContender implements Contender {

	private final LockTarget target;

	private final Runnable wakeUp;

	private final Supplier<Operation> operation;

	// Created with the first attempt; guarded by this object's monitor.
	private @Nullable RedlockPollDelay pollDelay;

	// Guarded by this object's monitor.
	private @Nullable ReleaseWaiter waiter;

	RedlockContender(LockTarget target, Runnable wakeUp, Supplier<Operation> operation) {
		this.target = target;
		this.wakeUp = wakeUp;
		this.operation = operation;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		Operation current;
		try {
			current = this.operation.get();
		}
		catch (LockUnavailableException ex) {
			return CompletableFuture.completedStage(new AttemptOutcome.Unavailable(ex, false));
		}
		if (request.ttl().compareTo(current.nodes().settings().maxTtl()) > 0) {
			return CompletableFuture.failedStage(new IllegalArgumentException(
					"A ttl of " + request.ttl() + " is longer than the nodes allow (lock.redlock.max-ttl): "
							+ current.nodes().settings().maxTtl()));
		}
		AttemptRecord known = current.outstanding().find(request.ownerId());
		if (known != null) {
			return CompletableFuture.completedStage(again(known, current.nodes().clock().nanoTime()));
		}
		boolean notified = request.waiting() && join(current);
		long deadline = current.nodes().clock().nanoTime() + request.timeout().toNanos();
		return current.nodes()
			.ready(request.timeout())
			.thenCompose((ready) -> new RedlockAttempt(current.nodes(), current.counters(), current.outstanding(),
					this.target.key(), request, deadline)
				.start())
			.thenApply((verdict) -> outcome(current, request, notified, verdict));
	}

	/**
	 * An attempt is one set of requests: it ends in the one grant that it has ended in.
	 */
	private AttemptOutcome again(AttemptRecord known, long now) {
		return known.grant(this.target, now)
			.<AttemptOutcome>map(AttemptOutcome.Granted::new)
			.orElseGet(() -> new AttemptOutcome.Unavailable(
					new LockUnavailableException("This attempt on '" + known.key() + "' was made before"), true));
	}

	private AttemptOutcome outcome(Operation current, LeaseRequest request, boolean notified,
			RedlockAttempt.Verdict verdict) {
		if (verdict instanceof RedlockAttempt.Verdict.Granted granted) {
			end();
			return new AttemptOutcome.Granted(
					new LeaseGrant(this.target, request.ownerId(), granted.tokens(), granted.validUntil()));
		}
		if (verdict instanceof RedlockAttempt.Verdict.Done done) {
			end();
			return new AttemptOutcome.Done(Instant.ofEpochMilli(done.tick()), Instant.ofEpochMilli(done.latest()));
		}
		if (verdict instanceof RedlockAttempt.Verdict.Unavailable unavailable) {
			return new AttemptOutcome.Unavailable(unavailable.cause(), unavailable.sent());
		}
		if (request.waiting()) {
			current.notifications().subscribe();
		}
		return busy(current, notified, (RedlockAttempt.Verdict.Refused) verdict);
	}

	private AttemptOutcome busy(Operation current, boolean notified, RedlockAttempt.Verdict.Refused refused) {
		RedlockPollDelay own = pollDelay(current);
		Long millis = refused.restMillis();
		if (millis == null) {
			return new AttemptOutcome.Busy(null, own.afterSplit(refused.roundTrip()));
		}
		Duration rest = (millis >= 0) ? Duration.ofMillis(Math.max(1, millis)) : PollDelay.LONGEST_NOTIFIED;
		return new AttemptOutcome.Busy((millis >= 0) ? rest : null, own.afterBusy(rest, notified));
	}

	private synchronized RedlockPollDelay pollDelay(Operation current) {
		if (this.pollDelay == null) {
			this.pollDelay = new RedlockPollDelay(current.nodes().random());
		}
		return this.pollDelay;
	}

	/**
	 * Join the waiters, before the attempt that leaves the mark.
	 * @return whether this one is notified of releases
	 */
	private synchronized boolean join(Operation current) {
		if (this.waiter == null) {
			this.waiter = current.notifications().waiter(this.target.key(), this.wakeUp);
		}
		return this.waiter.join();
	}

	private synchronized void end() {
		if (this.waiter != null) {
			this.waiter.leave();
		}
	}

	@Override
	public void withdraw() {
		end();
	}

}
