package io.distributedlock.backend.session;

import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.SessionValidity;
import io.distributedlock.spi.TokenRange;

/**
 * One attempt of a {@link QueueContender}. It <em>enters</em> the queue, or
 * <em>looks</em> at the place of the entry that the contender keeps, and <em>decides</em>
 * by the result. It waits, leaves the queue or, as the first in the queue, stores its
 * tick and is granted the lock. The store implements these steps.
 * <p>
 * The outcome is decided by the first thread that completes it, in a step or on the
 * timeout. If an answer arrives later, the entry leaves the queue.
 *
 * @param <E> the entries of the store
 * @since 0.1.0
 */
public abstract class QueueAttempt<E extends SessionEntry> {

	private final QueueContender<E> contender;

	private final LeaseRequest request;

	private final LockClock clock;

	private final CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();

	/**
	 * Create an attempt.
	 * @param contender keeps the entry of an attempt that waits
	 * @param request the request
	 * @param clock the time
	 */
	protected QueueAttempt(QueueContender<E> contender, LeaseRequest request, LockClock clock) {
		this.contender = contender;
		this.request = request;
		this.clock = clock;
	}

	/**
	 * Start the timer that ends the attempt at the timeout of the request. This is done
	 * before the first step.
	 */
	protected final void startTimer() {
		this.clock.scheduleUnlessDone(this.outcome, this.request.timeout(), this::unanswered);
	}

	/**
	 * Return the request of this attempt.
	 * @return the request
	 */
	protected final LeaseRequest request() {
		return this.request;
	}

	/**
	 * Return the outcome.
	 * @return completed when it is decided
	 */
	protected final CompletableFuture<AttemptOutcome> outcome() {
		return this.outcome;
	}

	/**
	 * Continue with the answer to a request for an entry. If the outcome was decided in
	 * the meantime, the entry {@linkplain #leaveLate leaves} instead.
	 * @param <T> the answer
	 * @param entry the entry
	 * @param answer the answer
	 * @param next receives the answer
	 * @param otherwise receives the fault if the request failed
	 */
	protected final <T> void step(E entry, CompletionStage<T> answer, Consumer<? super T> next,
			Consumer<Throwable> otherwise) {
		answer.whenComplete((value, fault) -> {
			if (this.outcome.isDone()) {
				leaveLate(entry);
			}
			else if (fault == null) {
				guarded(() -> next.accept(value));
			}
			else {
				guarded(() -> otherwise.accept(CompletionCauses.unwrap(fault)));
			}
		});
	}

	/**
	 * Run a step. The attempt ends as unavailable if the step throws.
	 * @param step the step
	 */
	protected final void guarded(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException ex) {
			unavailable(ex);
		}
	}

	/**
	 * End with a grant. If the outcome was decided before, the entry is given up.
	 * @param entry the entry, which is already held so that it counts as used all the
	 * time
	 * @param span the maximum number of tokens that it brings
	 * @param sentAt the monotonic time from which the TTL counts
	 * @param validity the validity of the session
	 */
	protected final void grant(E entry, int span, long sentAt, SessionValidity validity) {
		this.contender.leave();
		TokenRange tokens = new TokenRange(entry.firstToken(), Math.min(this.request.span(), span));
		LockTarget target = this.contender.target();
		// Tokens are compared per key, so the keys may have the same ones.
		LeaseGrant grant = new LeaseGrant(target, entry.ownerId(), Collections.nCopies(target.keys().size(), tokens),
				LockClock.validUntil(sentAt, this.request.ttl()), validity);
		if (!this.outcome.complete(new AttemptOutcome.Granted(grant))) {
			this.contender.drop(entry);
		}
	}

	/**
	 * End as busy. The contender keeps the entry if the request waits.
	 * @param entry the entry
	 * @param busy the outcome
	 * @param startWaiting lets events wake the contender
	 */
	protected final void busy(E entry, AttemptOutcome.Busy busy, Runnable startWaiting) {
		if (!this.request.waiting() || !this.contender.keep(entry, startWaiting)) {
			leave(entry, busy);
		}
		else if (!this.outcome.complete(busy)) {
			leaveLate(entry);
		}
	}

	/**
	 * Give up the entry of an attempt whose outcome was decided without it, if this
	 * attempt {@linkplain #hasEntered has entered} the queue. Its owner id is abandoned,
	 * so the entry can't be kept.
	 * @param entry the entry
	 */
	protected final void leaveLate(E entry) {
		if (hasEntered()) {
			if (this.contender.kept() == entry) {
				this.contender.leave();
			}
			this.contender.drop(entry);
		}
	}

	/**
	 * End as unavailable because the store did not answer in time.
	 */
	protected final void unanswered() {
		unavailable(noAnswer());
	}

	/**
	 * End as unavailable because a request failed.
	 * @param cause the cause
	 */
	protected void unavailable(Throwable cause) {
		this.outcome.complete(new AttemptOutcome.Unavailable(cause, hasEntered()));
	}

	/**
	 * Return whether this attempt has put an entry into the queue, or may have. If so,
	 * the engine abandons the entry when the store is unavailable. An entry from an
	 * earlier attempt stays.
	 * @return whether it has
	 */
	protected abstract boolean hasEntered();

	/**
	 * Leave the queue, and end without a grant when the entry is gone.
	 * @param entry the entry
	 * @param left the outcome
	 */
	protected abstract void leave(E entry, AttemptOutcome left);

	/**
	 * Return the fault of a store that did not answer in time.
	 * @return the fault
	 */
	protected abstract Throwable noAnswer();

}
