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
 * Contends for a lock while the store is at the epoch of this instance. An attempt waits
 * until the store has confirmed the epoch for the first time. If the confirmation is too
 * old, the store is asked again while the attempt is under way, and a grant counts only
 * if the store is still at the epoch.
 */
final class EpochContender implements Contender {

	private final Contender contender;

	private final EpochGrants grants;

	private final @Nullable TokenEpochCheck check;

	private final LockClock clock;

	// Guarded by the monitor, which is also held while an attempt that has waited is
	// sent.
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
			if (current.isDue() && !current.isUnanswered()) {
				current.check(request.timeout());
			}
			return send(request);
		}
		CompletableFuture<EpochVerdict> verdict = verdict(current, request.timeout());
		// A granted tick is used up, so an attempt with a tick waits. While the store
		// does not answer, the question alone is enough.
		boolean beside = current.wasConfirmed() && !current.isUnanswered() && request.tick() == null;
		return beside ? sendBeside(verdict, request) : sendAfter(verdict, request);
	}

	/**
	 * Ask the store for its epoch within the timeout of an attempt. The round may have
	 * begun for another attempt, which waits longer.
	 */
	private CompletableFuture<EpochVerdict> verdict(TokenEpochCheck current, Duration timeout) {
		CompletableFuture<EpochVerdict> verdict = new CompletableFuture<>();
		CompletableFuture<EpochVerdict> asked = current.check(timeout);
		if (!asked.isDone()) {
			this.clock.scheduleUnlessDone(verdict, timeout.plus(timeout.dividedBy(30)),
					() -> verdict.complete(new EpochVerdict.Unknown(current.unanswered(timeout))));
		}
		asked.thenAccept(verdict::complete);
		return verdict;
	}

	private CompletionStage<AttemptOutcome> sendBeside(CompletableFuture<EpochVerdict> verdict, LeaseRequest request) {
		return this.contender.attempt(request)
			.thenCompose((outcome) -> (outcome instanceof AttemptOutcome.Granted granted)
					? verdict.thenCompose((found) -> this.grants.settle(granted, found))
					: CompletableFuture.completedStage(outcome));
	}

	/**
	 * Send an attempt with the rest of its time after the store has confirmed the epoch.
	 * Without a confirmation it ends without being sent.
	 */
	private CompletionStage<AttemptOutcome> sendAfter(CompletableFuture<EpochVerdict> verdict, LeaseRequest request) {
		long deadline = this.clock.nanoTime() + request.timeout().toNanos();
		return verdict.thenCompose((found) -> {
			if (!(found instanceof EpochVerdict.Confirmed)) {
				return CompletableFuture
					.completedStage(new AttemptOutcome.Unavailable(this.grants.failure(found), false));
			}
			Duration left = Duration.ofNanos(Math.max(0, deadline - this.clock.nanoTime()));
			return sendUnlessWithdrawn(request.within(left));
		});
	}

	private CompletionStage<AttemptOutcome> send(LeaseRequest request) {
		return this.contender.attempt(request).thenCompose(this.grants::settle);
	}

	/**
	 * Send an attempt that has waited, unless the contender was withdrawn meanwhile.
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

}
