package io.distributedlock.contract;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Observes the requests of an engine and the answers of its store.
 */
final class ObservedBackend extends DecoratedBackend {

	private final LockClock clock;

	private final AtomicInteger answers = new AtomicInteger();

	private final AtomicInteger renewals = new AtomicInteger();

	private final AtomicInteger busy = new AtomicInteger();

	private volatile long grantedAt;

	private volatile CompletableFuture<Long> nextAnswer = new CompletableFuture<>();

	private volatile Runnable atGrant = () -> {
	};

	ObservedBackend(LockBackend delegate, LockClock clock) {
		super(delegate);
		this.clock = clock;
	}

	/**
	 * Return how many attempts were answered.
	 */
	int answers() {
		return this.answers.get();
	}

	/**
	 * Return how many attempts were answered "busy".
	 */
	int busy() {
		return this.busy.get();
	}

	/**
	 * Return a future with the time of the next answer to an attempt.
	 */
	CompletableFuture<Long> nextAnswer() {
		CompletableFuture<Long> next = new CompletableFuture<>();
		this.nextAnswer = next;
		return next;
	}

	/**
	 * Return how many renewals were sent.
	 */
	int renewals() {
		return this.renewals.get();
	}

	/**
	 * Return the time at which the latest grant arrived.
	 */
	long grantedAt() {
		return this.grantedAt;
	}

	/**
	 * Run an action whenever a grant arrives, before the engine knows of it.
	 */
	void atGrant(Runnable action) {
		this.atGrant = action;
	}

	@Override
	protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
			Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
		return attempt.apply(request).whenComplete((outcome, failure) -> {
			if (outcome instanceof AttemptOutcome.Granted) {
				this.grantedAt = this.clock.nanoTime();
				this.atGrant.run();
			}
			this.answers.incrementAndGet();
			if (outcome instanceof AttemptOutcome.Busy) {
				this.busy.incrementAndGet();
			}
			this.nextAnswer.complete(this.clock.nanoTime());
		});
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		this.renewals.addAndGet(renewals.size());
		return super.renew(renewals);
	}

}
