package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

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

	private static final Logger logger = LoggerFactory.getLogger(KeyQueue.class);

	private static final Runnable NOTHING = () -> {
	};

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

	private @Nullable Evidence evidence;

	private boolean looking;

	private boolean closed;

	KeyQueue(EngineCore core, LockTarget target) {
		this.core = core;
		this.target = target;
	}

	/**
	 * Add a waiter. One that wants a single attempt is answered at once if a lease of
	 * this JVM is in the way. If only other waiters are, the first of them attempts at
	 * once, and its answer counts for both.
	 * @return {@code false} if this queue has ended and a new one is needed
	 */
	boolean offer(Waiter waiter) {
		LockException refusal = null;
		synchronized (this) {
			if (this.closed) {
				return false;
			}
			if (!waiter.acquisition().isOneAttempt()) {
				this.waiters.add(waiter);
			}
			else if (this.holder != null && this.holder.isHeld()) {
				refusal = exception(inTheWay(this.holder), waiter);
			}
			else {
				waiter.markOver();
				this.waiters.add(waiter);
				hurry();
			}
		}
		if (refusal != null) {
			waiter.fail(refusal);
		}
		pump(waiter);
		return true;
	}

	private Evidence inTheWay(DefaultLease lease) {
		return Evidence.busy(lease.remaining(), this.core.clock().nanoTime());
	}

	private LockException exception(Evidence reason, Waiter waiter) {
		return reason.exception(waiter.acquisition(), this.core);
	}

	/**
	 * Look at a waiter whose wait time may be over, unless it is decided already how it
	 * ends, as by a lease that is about to reach it. It ends now if its own wait has
	 * brought evidence of why the key can't be had. If not, the store is asked once more,
	 * or is being asked already, and the waiter ends with the answer; without one it ends
	 * after its overtime.
	 * @return what is left until the next look, or {@code null} if none is needed
	 */
	@Nullable Duration timeOut(Waiter waiter) {
		LockException reason = null;
		Duration next;
		synchronized (this) {
			if (!this.waiters.contains(waiter)) {
				return null;
			}
			Duration left = waiter.timeLeft(this.core.clock().nanoTime());
			next = waiter.acquisition().nextLook(left);
			if (next.isNegative() || next.isZero()) {
				next = next.plus(waiter.acquisition().overtime());
				reason = whyTimedOut(waiter, next.isNegative() || next.isZero());
				if (reason == null) {
					waiter.markOver();
					hurry();
				}
				else {
					// It leaves the line before it is told: nobody is to attempt for it
					// any more.
					leave(waiter);
				}
			}
		}
		if (reason != null) {
			waiter.fail(reason);
		}
		pump(null);
		return (reason != null) ? null : next;
	}

	private @Nullable LockException whyTimedOut(Waiter waiter, boolean last) {
		if (this.holder != null && this.holder.isHeld()) {
			return exception(inTheWay(this.holder), waiter);
		}
		if (this.evidence != null && this.evidence.countsFor(waiter)) {
			return exception(this.evidence, waiter);
		}
		return last ? Evidence.none(waiter.acquisition(), this.core) : null;
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
			ClockReading now = ClockReading.now(this.core.clock());
			Tenure tenure = lease.tenure();
			if (next == null || this.holder != lease
					|| !tenure.canPassTo(next.acquisition(), this.core.settings().handOver(), now)) {
				return false;
			}
			tenure.passOn(now.nanoTime());
			successor = new DefaultLease(this.core, next.acquisition(), tenure, now.nanoTime(),
					tenure.validUntil(next.acquisition(), now.nanoTime()));
			this.holder = successor;
			this.waiters.remove(next);
		}
		this.core.deliver(next, successor, true);
		this.core.confirmations().passedOn(successor.tenure());
		return true;
	}

	/**
	 * Return the lease of this JVM, if there is one.
	 */
	synchronized @Nullable DefaultLease holder() {
		return this.holder;
	}

	/**
	 * Pass the lease on no more that this JVM may have, because it is about to be taken
	 * away.
	 */
	synchronized void stopHandOver() {
		if (this.holder != null) {
			this.holder.tenure().stopHandOver();
		}
	}

	/**
	 * Take note that the store no longer has a lease of this JVM.
	 */
	void taken(Tenure tenure) {
		DefaultLease lost = null;
		synchronized (this) {
			tenure.stopHandOver();
			if (this.holder != null && this.holder.tenure() == tenure) {
				lost = this.holder;
			}
		}
		if (lost != null && lost.expireIfOver(this.core.clock().nanoTime())) {
			lost.lose(LossReason.TAKEN);
		}
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
			// It was in the way until just before it ended.
			long until = lease.endedAt() - 1;
			if (this.evidence == null || until - this.evidence.at() > 0) {
				this.evidence = Evidence.busy(null, until);
			}
			Tenure tenure = lease.tenure();
			tenure.end();
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

	/**
	 * Run by the store, whose other waiters and subscriptions are not to suffer from what
	 * goes wrong here.
	 */
	private void wakeUp() {
		try {
			synchronized (this) {
				this.wokenUp = true;
				endPause();
			}
			pump(null);
		}
		catch (Throwable ex) {
			logger.warn("The waiters for {} could not be woken", this.target, ex);
		}
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
		Runnable answers;
		Contender unused = null;
		LeaseRequest request = null;
		boolean look = false;
		synchronized (this) {
			overdue = takeOverdue();
			if (overdue != null) {
				answers = answerThoseWhoAreOver();
				unused = takeContender();
			}
			else {
				answers = NOTHING;
			}
			Waiter head = this.waiters.head();
			if (head != null && this.inFlight == null && this.pause == null && !isInTheWay(head)) {
				attempt = new Attempt(head, OwnerId.random(), ClockReading.now(this.core.clock()));
				request = request(attempt, head == caller && head.isBlocking());
				this.inFlight = attempt;
				this.wokenUp = false;
			}
			else if (head == null && this.inFlight == null) {
				goIdle();
				unused = (unused != null) ? unused : takeContender();
			}
			else if (isLookNeeded(head)) {
				this.looking = true;
				look = true;
			}
		}
		answers.run();
		if (overdue != null) {
			this.core.aftercare().abandon(this.target, overdue.ownerId(), overdue.waiter().acquisition());
		}
		if (unused != null) {
			withdraw(unused);
		}
		if (attempt != null && request != null) {
			send(attempt, request);
		}
		if (look) {
			look();
		}
	}

	/**
	 * Return whether somebody waits for evidence behind a head that lets other JVMs go
	 * first, and so does not attempt for now.
	 */
	private boolean isLookNeeded(@Nullable Waiter head) {
		return this.pause != null && this.pause.isForOthers() && this.inFlight == null && !this.looking
				&& this.waiters.over().stream().anyMatch((waiter) -> waiter != head);
	}

	/**
	 * Ask the store who holds the key, for those whose time is over. If nobody does, they
	 * are told that it is busy all the same, since it is the turn of others; but the head
	 * is about to attempt itself.
	 */
	private void look() {
		this.core.calls().call(() -> this.core.backend().find(this.target.key())).whenComplete((found, failure) -> {
			Runnable answers;
			synchronized (this) {
				this.looking = false;
				long now = this.core.clock().nanoTime();
				this.evidence = (failure != null) ? Evidence.fault(StoreCalls.causeOf(failure), now)
						: Evidence.busy(found.map(LockInfo::remaining).orElse(null), now);
				answers = answerThoseWhoAreOver((failure == null && found.isEmpty()) ? this.waiters.head() : null);
			}
			answers.run();
			pump(null);
		});
	}

	private static void withdraw(Contender unused) {
		try {
			unused.withdraw();
		}
		catch (Throwable ex) {
			logger.warn("A contender could not withdraw", ex);
		}
	}

	/**
	 * Give up an attempt whose answer the store has let wait for far too long. Its
	 * contender goes with it: an answer that comes all the same must not put another
	 * place in line beside that of the next attempt.
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
		fault(why);
		attempt.waiter().leftUnused(why);
	}

	private void fault(Throwable why) {
		this.evidence = Evidence.fault(why, this.core.clock().nanoTime());
	}

	/**
	 * Let those end whose time is over, now that there is evidence from their own wait.
	 */
	private Runnable answerThoseWhoAreOver() {
		return answerThoseWhoAreOver(null);
	}

	private Runnable answerThoseWhoAreOver(@Nullable Waiter except) {
		Evidence reason = this.evidence;
		if (reason == null) {
			return NOTHING;
		}
		List<Waiter> answered = this.waiters.over()
			.stream()
			.filter((waiter) -> waiter != except && reason.countsFor(waiter))
			.toList();
		answered.forEach(this.waiters::remove);
		return () -> answered.forEach((waiter) -> waiter.fail(exception(reason, waiter)));
	}

	private void goIdle() {
		endPause();
		if (this.holder == null && !this.closed) {
			this.closed = true;
			this.core.remove(this.target, this);
		}
	}

	private @Nullable Contender takeContender() {
		Contender unused = this.contender;
		this.contender = null;
		return unused;
	}

	private boolean isInTheWay(Waiter head) {
		// A waiter waits until a release has been answered. The only or last attempt goes
		// out as soon as the lease is over.
		DefaultLease lease = this.holder;
		return lease != null && (lease.isHeld() || !head.isOver());
	}

	private LeaseRequest request(Attempt attempt, boolean mayBlock) {
		Waiter waiter = attempt.waiter();
		Acquisition acquisition = waiter.acquisition();
		Duration left = waiter.isOver() ? acquisition.overtime() : waiter.timeLeft(attempt.sentAt().nanoTime());
		Duration patience = (mayBlock && !left.isNegative()) ? left : Duration.ZERO;
		return new LeaseRequest(attempt.ownerId(), acquisition.ttl(), span(acquisition),
				acquisition.request().getTick(), !waiter.isOver(), acquisition.callTimeout(), patience);
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
		this.core.calls().attempt(() -> contender(attempt).attempt(request), (outcome) -> onOutcome(attempt, outcome));
	}

	private Contender contender(Attempt attempt) {
		synchronized (this) {
			if (this.contender != null && attempt.equals(this.inFlight)) {
				return this.contender;
			}
		}
		Contender created = this.core.backend().contend(this.target, this::wakeUp);
		synchronized (this) {
			if (attempt.equals(this.inFlight)) {
				this.contender = created;
				return created;
			}
		}
		// A contender that the queue does not know could never be withdrawn.
		withdraw(created);
		throw new IllegalStateException("The attempt was given up before it was made");
	}

	private void onOutcome(Attempt attempt, AttemptOutcome outcome) {
		if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			this.core.refusals().report("an acquisition", unavailable.cause());
		}
		if (outcome instanceof AttemptOutcome.Granted granted && isSuspect(attempt)) {
			confirm(attempt, granted.grant());
			return;
		}
		conclude(attempt, outcome, attempt.sentAt());
	}

	private boolean isSuspect(Attempt attempt) {
		return attempt.sentAt().stoodStill(ClockReading.now(this.core.clock()), attempt.waiter().acquisition().ttl());
	}

	/**
	 * Ask the store whether a grant still stands: this machine may have stood still while
	 * the answer was under way.
	 */
	private void confirm(Attempt attempt, LeaseGrant grant) {
		ClockReading sentAt = ClockReading.now(this.core.clock());
		Acquisition acquisition = attempt.waiter().acquisition();
		this.core.renewals().ask(new Renewal(grant, acquisition.ttl()), sentAt).thenAccept((outcome) -> {
			if (outcome instanceof RenewalOutcome.Renewed renewed) {
				conclude(attempt, new AttemptOutcome.Granted(grant.renewed(renewed.validUntil())), sentAt);
			}
			else {
				// What was granted may have been asked for by an earlier attempt, whose
				// owner id nobody abandons.
				this.core.aftercare().giveBack(grant, acquisition);
				conclude(attempt, new AttemptOutcome.Unavailable(new IllegalStateException(
						"this machine stood still while the answer was under way, and the lease was not confirmed"),
						true), sentAt);
			}
		});
	}

	/**
	 * Take the last word of the store on an attempt.
	 * @param since the moment from which a grant counts
	 */
	private void conclude(Attempt attempt, AttemptOutcome outcome, ClockReading since) {
		Runnable consequence;
		synchronized (this) {
			if (attempt.equals(this.inFlight)) {
				this.inFlight = null;
				consequence = decide(attempt, outcome, since);
			}
			else {
				// It was given up as overdue, and another attempt may have taken its
				// place.
				consequence = () -> giveBack(attempt, outcome);
			}
		}
		try {
			consequence.run();
		}
		finally {
			pump(null);
		}
	}

	private void giveBack(Attempt attempt, AttemptOutcome outcome) {
		if (outcome instanceof AttemptOutcome.Granted late) {
			this.core.aftercare().giveBack(late.grant(), attempt.waiter().acquisition());
		}
	}

	private Runnable decide(Attempt attempt, AttemptOutcome outcome, ClockReading since) {
		if (outcome instanceof AttemptOutcome.Granted granted) {
			return onGranted(attempt, granted.grant(), since);
		}
		if (outcome instanceof AttemptOutcome.Busy busy) {
			this.failures = 0;
			this.evidence = Evidence.busy(busy.retryAfter(), this.core.clock().nanoTime());
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

	private Runnable onGranted(Attempt attempt, LeaseGrant grant, ClockReading since) {
		Waiter waiter = attempt.waiter();
		Acquisition acquisition = waiter.acquisition();
		ClockReading now = ClockReading.now(this.core.clock());
		Tenure tenure = new Tenure(grant, acquisition.ttl(), since, now.nanoTime(),
				this.core.backend().traits().leaseKind());
		DefaultLease lease = new DefaultLease(this.core, acquisition, tenure, now.nanoTime(), grant.validUntil());
		if (!lease.canBegin()) {
			unanswered(attempt, new IllegalStateException("the answer came after the lease had run out"));
			Runnable retry = retry(attempt, Backoff.STORE_FAULT.delay(this.failures++), true);
			return () -> {
				this.core.aftercare().giveBack(grant, acquisition);
				retry.run();
			};
		}
		this.contender = null;
		this.failures = 0;
		this.holder = lease;
		this.waiters.remove(waiter);
		this.evidence = inTheWay(lease);
		Runnable answers = answerThoseWhoAreOver();
		return () -> {
			this.core.deliver(waiter, lease, false);
			answers.run();
		};
	}

	private Runnable onUnavailable(Attempt attempt, AttemptOutcome.Unavailable unavailable) {
		Acquisition acquisition = attempt.waiter().acquisition();
		Runnable next;
		if (unavailable.cause() instanceof InvalidLockRequestException invalid) {
			next = end(attempt.waiter(), invalid);
		}
		else {
			fault(unavailable.cause());
			next = retry(attempt, Backoff.STORE_FAULT.delay(this.failures++), true);
		}
		if (!unavailable.sent()) {
			return next;
		}
		attempt.waiter().leftUnused(unavailable.cause());
		return () -> {
			this.core.aftercare().abandon(this.target, attempt.ownerId(), acquisition);
			next.run();
		};
	}

	/**
	 * Let the head of the queue attempt again later; those whose time is over end with
	 * what is known.
	 */
	private Runnable retry(Attempt attempt, Duration delay, boolean pausing) {
		Waiter waiter = attempt.waiter();
		if (pausing && !waiter.isOver() && waiter.isWaiting()) {
			pauseFor(delay, false);
		}
		return answerThoseWhoAreOver();
	}

	/**
	 * Return the waiters, for a stop that ends them.
	 */
	synchronized List<Waiter> waiters() {
		return this.waiters.toList();
	}

}
