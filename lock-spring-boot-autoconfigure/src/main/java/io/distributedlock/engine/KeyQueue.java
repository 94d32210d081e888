package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * The waiters of this JVM for one key, first come first served. Only the head of the
 * queue talks to the store, by one contender and one attempt at a time, and only while no
 * lease of this JVM is in the way; a lease that is released goes to the head without the
 * store where its {@link Tenure} allows (lock cohorting after Dice, Marathe and Shavit,
 * 2012). A queue lives as long as it has waiters, a lease or an attempt under way.
 * <p>
 * The fields are guarded by this object's monitor. Each event decides under it what is to
 * be done, and does it after: neither stores nor callers are called while it is held.
 */
final class KeyQueue {

	private final EngineCore core;

	private final LockTarget target;

	private final WaitLine waiters = new WaitLine();

	private @Nullable DefaultLease holder;

	private @Nullable Attempt inFlight;

	private @Nullable Contender contender;

	private @Nullable Pause pause;

	private boolean wokenUp;

	private int failures;

	private int spanWanted = 1;

	private Evidence evidence = Evidence.NONE;

	private boolean closed;

	KeyQueue(EngineCore core, LockTarget target) {
		this.core = core;
		this.target = target;
	}

	/**
	 * Add a waiter. One that wants a single attempt is answered at once where a lease of
	 * this JVM or another waiter is in the way; that other waiter then attempts at once,
	 * unless it lets other JVMs go first.
	 * @return {@code false} if this queue has ended and a new one is needed
	 */
	boolean offer(Waiter waiter) {
		LockException refusal = null;
		synchronized (this) {
			if (this.closed) {
				return false;
			}
			if (waiter.acquisition().isOneAttempt() && isTaken()) {
				refusal = exception(whyNot(), waiter);
				hurry();
			}
			else {
				this.waiters.add(waiter);
			}
		}
		if (refusal != null) {
			waiter.fail(refusal);
		}
		pump(waiter);
		return true;
	}

	private boolean isTaken() {
		return (this.holder != null && this.holder.isHeld()) || this.waiters.head() != null;
	}

	private Evidence whyNot() {
		if (this.holder != null && this.holder.isHeld()) {
			return Evidence.busy(this.holder.remaining());
		}
		// A waiter ahead that has heard nothing yet stands in the way like a holder.
		return this.evidence.isKnown() ? this.evidence : Evidence.busy(null);
	}

	private LockException exception(Evidence reason, Waiter waiter) {
		return reason.exception(waiter.acquisition(), this.core.backendName());
	}

	/**
	 * Let a waiter end whose time is over, unless that is decided already, as by a lease
	 * that is about to reach it. It leaves the line before it is told: nobody is to
	 * attempt for it any more.
	 */
	void timeOut(Waiter waiter) {
		LockException reason;
		synchronized (this) {
			if (!this.waiters.contains(waiter)) {
				return;
			}
			leave(waiter);
			reason = exception(whyTimedOut(waiter), waiter);
		}
		waiter.fail(reason);
		pump(null);
	}

	private Evidence whyTimedOut(Waiter waiter) {
		if (waiter.acquisition().isOneAttempt() && this.inFlight != null && this.inFlight.waiter() == waiter) {
			// What others have heard before says nothing of the one attempt.
			return Evidence.NONE;
		}
		return (this.holder != null) ? Evidence.busy(this.holder.remaining()) : this.evidence;
	}

	/**
	 * Go on without a waiter that has ended without a lease.
	 */
	void forget(Waiter waiter) {
		synchronized (this) {
			leave(waiter);
		}
		pump(null);
	}

	/**
	 * Remove a waiter; if it was the head, the next one attempts at once, unless other
	 * JVMs go first.
	 */
	private void leave(Waiter waiter) {
		boolean head = this.waiters.startsWith(waiter);
		this.waiters.remove(waiter);
		if (head) {
			hurry();
		}
	}

	/**
	 * Pass a lease that its holder has released to the head of the queue, if there is one
	 * and the tenure allows.
	 * @return {@code false} if the lease has to go back to the store
	 */
	boolean handOver(DefaultLease lease) {
		Waiter next;
		DefaultLease successor;
		synchronized (this) {
			next = this.waiters.head();
			Moment now = Moment.now(this.core.clock());
			Tenure tenure = lease.tenure();
			if (next == null || this.holder != lease
					|| !tenure.canPassTo(next.acquisition(), this.core.settings().handOver(), now)) {
				return false;
			}
			tenure.passOn();
			successor = new DefaultLease(this.core, next.acquisition(), tenure, now.nano(),
					tenure.validUntil(next.acquisition(), now.nano()));
			this.holder = successor;
			this.waiters.remove(next);
		}
		this.core.deliver(next, successor, true);
		return true;
	}

	/**
	 * Take note that a lease of this JVM is no longer in the way. After one that was
	 * passed on as far as it may be, or that others are known to wait for, other JVMs go
	 * first.
	 */
	void ended(DefaultLease lease) {
		synchronized (this) {
			if (this.holder != lease) {
				return;
			}
			this.holder = null;
			// It was in the way until now.
			this.evidence = Evidence.busy(null);
			Tenure tenure = lease.tenure();
			int used = tenure.handOvers() + 1;
			// A tenure that ran out of tokens asks for twice as many the next time.
			this.spanWanted = tenure.isOutOfTokens() ? 2 * used : used;
			HandOverSettings bounds = this.core.settings().handOver();
			long now = this.core.clock().nanoTime();
			if (this.waiters.head() != null && tenure.owesOthers(bounds, now)) {
				pauseFor(tenure.courtesy(bounds, now), true);
			}
		}
		pump(null);
	}

	/**
	 * Take note that another JVM waits for what this one has.
	 */
	synchronized void wanted(LeaseGrant grant, Duration pollAfter) {
		if (this.holder != null && this.holder.tenure().grant().ownerId().equals(grant.ownerId())) {
			this.holder.tenure().wanted(this.core.clock().nanoTime() + pollAfter.toNanos());
		}
	}

	private void wakeUp() {
		synchronized (this) {
			this.wokenUp = true;
			endPause();
		}
		pump(null);
	}

	private void resume(Pause ended) {
		synchronized (this) {
			if (this.pause != ended) {
				return;
			}
			this.pause = null;
		}
		pump(null);
	}

	/**
	 * Attempt at once, but not before others that are to go first.
	 */
	private void hurry() {
		if (this.pause != null && !this.pause.isForOthers()) {
			endPause();
		}
	}

	private void endPause() {
		if (this.pause != null) {
			this.pause.cancel();
			this.pause = null;
		}
	}

	private void pauseFor(Duration length, boolean forOthers) {
		endPause();
		this.pause = new Pause(this.core.clock(), length, forOthers, this::resume);
	}

	/**
	 * Do what is to be done next.
	 * @param caller the waiter whose thread this is, if it is one's
	 */
	private void pump(@Nullable Waiter caller) {
		Attempt attempt = null;
		Attempt overdue;
		Contender unused = null;
		LeaseRequest request = null;
		synchronized (this) {
			overdue = takeOverdue();
			Waiter head = this.waiters.head();
			if (head != null && this.inFlight == null && this.pause == null && !isInTheWay(head)) {
				attempt = new Attempt(head, OwnerId.random(), Moment.now(this.core.clock()));
				request = request(attempt, head == caller && head.isBlocking());
				this.inFlight = attempt;
				this.wokenUp = false;
			}
			else if (head == null && this.inFlight == null) {
				unused = goIdle();
			}
		}
		if (overdue != null) {
			this.core.aftercare().abandon(this.target, overdue.ownerId(), overdue.waiter().acquisition());
		}
		if (unused != null) {
			unused.withdraw();
		}
		if (attempt != null && request != null) {
			send(attempt, request);
		}
	}

	/**
	 * Give up an attempt whose answer the store has let wait for far too long.
	 */
	private @Nullable Attempt takeOverdue() {
		Attempt attempt = this.inFlight;
		if (attempt == null || !attempt.isOverdue(this.core.clock().nanoTime())) {
			return null;
		}
		this.inFlight = null;
		unanswered(attempt, new IllegalStateException("no answer in time"));
		return attempt;
	}

	/**
	 * Take note of an attempt that ends without a lease, though it was granted or may
	 * have been.
	 */
	private void unanswered(Attempt attempt, Throwable why) {
		this.evidence = Evidence.fault(why);
		attempt.waiter().leftUnused(why);
	}

	private @Nullable Contender goIdle() {
		endPause();
		if (this.holder == null && !this.closed) {
			this.closed = true;
			this.core.remove(this.target, this);
		}
		Contender unused = this.contender;
		this.contender = null;
		return unused;
	}

	private boolean isInTheWay(Waiter head) {
		// A waiter waits until a release has been answered. One attempt goes out as soon
		// as the lease is over, since it has no second one.
		DefaultLease lease = this.holder;
		return lease != null && (lease.isHeld() || !head.acquisition().isOneAttempt());
	}

	private LeaseRequest request(Attempt attempt, boolean mayBlock) {
		Acquisition acquisition = attempt.waiter().acquisition();
		Duration left = attempt.waiter().timeLeft(attempt.sentAt().nano());
		Duration patience = (mayBlock && !left.isNegative()) ? left : Duration.ZERO;
		return new LeaseRequest(attempt.ownerId(), acquisition.ttl(), span(acquisition),
				acquisition.request().getTick(), !acquisition.isOneAttempt(), acquisition.callTimeout(), patience);
	}

	/**
	 * Return how many tokens to reserve. Only for waiters that the lease can be passed
	 * to: a range that goes unused at every grant would make tokens outrun the clock.
	 */
	private int span(Acquisition head) {
		int served = head.minHold().isZero() ? this.waiters.successors() : 0;
		int most = this.core.settings().handOver().maxCount() + 1;
		return (served == 0) ? 1 : Math.min(most, Math.max(this.spanWanted, 2 * served + 1));
	}

	private void send(Attempt attempt, LeaseRequest request) {
		this.core.calls()
			.attempt(() -> attempt.send(this::contender, request), (outcome) -> onOutcome(attempt, outcome));
	}

	private Contender contender() {
		synchronized (this) {
			if (this.contender != null) {
				return this.contender;
			}
		}
		// Only the one attempt under way gets here, so that no second contender is made.
		Contender created = this.core.backend().contend(this.target, this::wakeUp);
		synchronized (this) {
			this.contender = created;
		}
		return created;
	}

	private void onOutcome(Attempt attempt, AttemptOutcome outcome) {
		Runnable consequence;
		synchronized (this) {
			if (attempt.equals(this.inFlight)) {
				this.inFlight = null;
				consequence = decide(attempt, outcome);
			}
			else {
				// It was given up as overdue, and another attempt may have taken its
				// place.
				consequence = () -> giveBack(attempt, outcome);
			}
		}
		consequence.run();
		pump(null);
	}

	private void giveBack(Attempt attempt, AttemptOutcome outcome) {
		if (outcome instanceof AttemptOutcome.Granted late) {
			this.core.aftercare().giveBack(late.grant(), attempt.waiter().acquisition());
		}
	}

	private Runnable decide(Attempt attempt, AttemptOutcome outcome) {
		if (outcome instanceof AttemptOutcome.Granted granted) {
			return onGranted(attempt, granted.grant());
		}
		if (outcome instanceof AttemptOutcome.Busy busy) {
			this.failures = 0;
			this.evidence = Evidence.busy(busy.retryAfter());
			return retry(attempt, busy.pollAfter(), !this.wokenUp);
		}
		if (outcome instanceof AttemptOutcome.Done done) {
			return end(attempt.waiter(), exception(done, attempt.waiter()));
		}
		return onUnavailable(attempt, (AttemptOutcome.Unavailable) outcome);
	}

	/**
	 * Let a waiter end without a lease. It leaves the line before it is told, so that
	 * nobody attempts for it in between: what that took would be given back, and a tick
	 * with it lost.
	 */
	private Runnable end(Waiter waiter, LockException reason) {
		this.waiters.remove(waiter);
		return () -> waiter.fail(reason);
	}

	/**
	 * Return how a waiter ends whose tick has run, as the store says. It may have been
	 * granted to this very waiter, who has not run it and must not keep silent about it.
	 */
	private LockException exception(AttemptOutcome.Done done, Waiter waiter) {
		Throwable unused = waiter.unusedGrant();
		if (unused == null) {
			return new TickDoneException(this.target.key(), done.tick());
		}
		return new LockUnavailableException("Whether '" + this.target.key() + "' has run for the tick "
				+ waiter.acquisition().request().getTick() + " is unknown: the backend '" + this.core.backendName()
				+ "' has granted it or a later one, perhaps to an attempt of this request, which could not use that: "
				+ unused.getMessage(), unused);
	}

	private Runnable onGranted(Attempt attempt, LeaseGrant grant) {
		Waiter waiter = attempt.waiter();
		Acquisition acquisition = waiter.acquisition();
		Moment now = Moment.now(this.core.clock());
		if (grant.nanosLeft(now.nano()) <= 0 || attempt.sentAt().stoodStill(now, acquisition.ttl())) {
			unanswered(attempt, new IllegalStateException("the answer came after the lease had run out"));
			Runnable retry = retry(attempt, Backoff.STORE_FAULT.delay(this.failures++), true);
			return () -> {
				this.core.aftercare().giveBack(grant, acquisition);
				retry.run();
			};
		}
		Tenure tenure = new Tenure(grant, attempt.sentAt(), now.nano());
		DefaultLease lease = new DefaultLease(this.core, acquisition, tenure, now.nano(), grant.validUntil());
		this.contender = null;
		this.failures = 0;
		this.evidence = Evidence.NONE;
		this.holder = lease;
		this.waiters.remove(waiter);
		return () -> this.core.deliver(waiter, lease, false);
	}

	private Runnable onUnavailable(Attempt attempt, AttemptOutcome.Unavailable unavailable) {
		Acquisition acquisition = attempt.waiter().acquisition();
		if (unavailable.sent()) {
			unanswered(attempt, unavailable.cause());
		}
		else {
			this.evidence = Evidence.fault(unavailable.cause());
		}
		Runnable next = (unavailable.cause() instanceof InvalidLockRequestException invalid)
				? end(attempt.waiter(), invalid) : retry(attempt, Backoff.STORE_FAULT.delay(this.failures++), true);
		return () -> {
			if (unavailable.sent()) {
				this.core.aftercare().abandon(this.target, attempt.ownerId(), acquisition);
			}
			next.run();
		};
	}

	/**
	 * Let the head of the queue attempt again later; one attempt ends with what is known.
	 */
	private Runnable retry(Attempt attempt, Duration delay, boolean pausing) {
		Waiter waiter = attempt.waiter();
		if (waiter.acquisition().isOneAttempt()) {
			return end(waiter, exception(this.evidence, waiter));
		}
		if (pausing && waiter.isWaiting()) {
			pauseFor(delay, false);
		}
		return () -> {
		};
	}

	/**
	 * Return the waiters, for a stop that ends them.
	 */
	synchronized List<Waiter> waiters() {
		return this.waiters.toList();
	}

}
