package io.distributedlock.epoch;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;

/**
 * Contends for a lock as soon as the epoch of the store is known.
 */
final class EpochContender implements Contender {

	private final Contender contender;

	private final EpochGrants grants;

	private final @Nullable TokenEpochCheck check;

	private final LockClock clock;

	// Guarded by the monitor, with the hand-over of an attempt that has waited.
	private boolean withdrawn;

	EpochContender(Contender contender, EpochGrants grants, @Nullable TokenEpochCheck check, LockClock clock) {
		this.contender = contender;
		this.grants = grants;
		this.check = check;
		this.clock = clock;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		TokenEpochCheck current = this.check;
		if (current == null) {
			return send(request);
		}
		if (current.isConfirmed()) {
			if (current.isDue()) {
				current.check(request.timeout());
			}
			return send(request);
		}
		return new DelayedAttempt(current, request).start();
	}

	private CompletionStage<AttemptOutcome> send(LeaseRequest request) {
		return this.contender.attempt(request).thenCompose(this.grants::settle);
	}

	/**
	 * Send an attempt that has waited, unless the contender has ended meanwhile.
	 */
	private synchronized CompletionStage<AttemptOutcome> sendUnlessWithdrawn(LeaseRequest request) {
		return this.withdrawn
				? CompletableFuture.completedStage(new AttemptOutcome.Unavailable(
						new LockUnavailableException("The attempt was given up before it was made"), false))
				: send(request);
	}

	@Override
	public void withdraw() {
		synchronized (this) {
			this.withdrawn = true;
		}
		this.contender.withdraw();
	}

	/**
	 * An attempt that waits for the epoch of the store, and ends without having been sent
	 * if that does not come in time.
	 */
	private final class DelayedAttempt {

		private final TokenEpochCheck check;

		private final LeaseRequest request;

		private final long deadline;

		private final CompletableFuture<EpochVerdict> verdict = new CompletableFuture<>();

		DelayedAttempt(TokenEpochCheck check, LeaseRequest request) {
			this.check = check;
			this.request = request;
			this.deadline = EpochContender.this.clock.nanoTime() + request.timeout().toNanos();
		}

		CompletionStage<AttemptOutcome> start() {
			CompletableFuture<EpochVerdict> asked = this.check.check(this.request.timeout());
			if (!asked.isDone()) {
				// The round may have begun for an attempt that waits for longer.
				Duration timeout = this.request.timeout();
				LockClock.Timeout timer = EpochContender.this.clock.schedule(timeout.plus(timeout.dividedBy(30)),
						() -> this.verdict.complete(new EpochVerdict.Unknown(this.check.unanswered(timeout))));
				this.verdict.whenComplete((found, failure) -> timer.cancel());
			}
			asked.thenAccept(this.verdict::complete);
			return this.verdict.thenCompose(this::decided);
		}

		private CompletionStage<AttemptOutcome> decided(EpochVerdict found) {
			if (!(found instanceof EpochVerdict.Confirmed)) {
				return CompletableFuture
					.completedStage(new AttemptOutcome.Unavailable(EpochContender.this.grants.failure(found), false));
			}
			Duration left = Duration.ofNanos(this.deadline - EpochContender.this.clock.nanoTime());
			LeaseRequest rest = new LeaseRequest(this.request.ownerId(), this.request.ttl(), this.request.span(),
					this.request.tick(), this.request.waiting(), left.isNegative() ? Duration.ZERO : left,
					Duration.ZERO);
			return sendUnlessWithdrawn(rest);
		}

	}

}
