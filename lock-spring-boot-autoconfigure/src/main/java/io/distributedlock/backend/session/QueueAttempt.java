package io.distributedlock.backend.session;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.SessionValidity;
import io.distributedlock.spi.TokenRange;

/**
 * One attempt of a {@link QueueContender}. It <em>enters</em> the queue, or
 * <em>looks</em> where the entry stands that the contender keeps, and <em>decides</em> by
 * what that shows: it waits, leaves the queue, or as the first in the queue stores its
 * tick and is granted the lock. These steps are the store's.
 * <p>
 * The first thread that completes the outcome decides what the attempt has come to: a
 * step, or the timeout. What comes to light later is put in order.
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
	 * @param request what is asked for
	 * @param clock the time
	 */
	protected QueueAttempt(QueueContender<E> contender, LeaseRequest request, LockClock clock) {
		this.contender = contender;
		this.request = request;
		this.clock = clock;
	}

	/**
	 * Let the attempt end within the timeout of the request. Comes before its first step.
	 */
	protected final void startTimer() {
		this.clock.scheduleUnlessDone(this.outcome, this.request.timeout(), this::unanswered);
	}

	/**
	 * Return what is asked for.
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
	 * Go on with the answer to a request for an entry, unless the outcome was decided
	 * meanwhile: the entry {@linkplain #leaveLate leaves} then.
	 * @param <T> the answer
	 * @param entry the entry
	 * @param answer the answer
	 * @param next receives the answer
	 * @param otherwise receives the fault, if it is one
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
	 * End with a grant. An entry that comes too late for that is given up.
	 * @param entry the entry, which is held already, so that it is known to be used all
	 * the time
	 * @param span how many tokens it brings at most
	 * @param sentAt the monotonic time from which the ttl counts
	 * @param validity the validity of the session
	 */
	protected final void grant(E entry, int span, long sentAt, SessionValidity validity) {
		this.contender.leave();
		TokenRange tokens = new TokenRange(entry.firstToken(), Math.min(this.request.span(), span));
		LeaseGrant grant = new LeaseGrant(this.contender.target(), entry.ownerId(), List.of(tokens),
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
	 * attempt {@linkplain #hasEntered has entered} the queue: its owner id is abandoned,
	 * so that the entry can't be kept.
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
	 * End with a store that did not answer in time.
	 */
	protected final void unanswered() {
		unavailable(noAnswer());
	}

	/**
	 * End with a store that could not be asked.
	 * @param cause why
	 */
	protected void unavailable(Throwable cause) {
		this.outcome.complete(new AttemptOutcome.Unavailable(cause, hasEntered()));
	}

	/**
	 * Return whether this attempt has put an entry into the queue, or may have: the
	 * engine abandons it if the store is unavailable. An entry that was there before
	 * stays.
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
