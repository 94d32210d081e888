package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockException;
import io.distributedlock.LockInfo;
import io.distributedlock.LossReason;
import io.distributedlock.engine.OutcomeDecider.Decision;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

/**
 * The waiters of this JVM for one key, first come first served. Only the head of the
 * queue talks to the store, by one contender and one attempt at a time, and only while no
 * lease of this JVM is in the way; a lease that is released goes to the head without the
 * store where its {@link CohortGrant} allows (lock cohorting after Dice, Marathe and
 * Shavit, 2012). A queue lives as long as it has waiters, a lease or an attempt under
 * way.
 * <p>
 * The fields are guarded by this object's monitor. Each event decides under it what is to
 * be done, and does it after: neither stores nor callers are called while it is held.
 */
final class KeyQueue {

	private static final Logger logger = LoggerFactory.getLogger(KeyQueue.class);

	private final EngineCore core;

	private final LockTarget target;

	private final KeyContention contention;

	private final OutcomeDecider decider;

	private final WaitQueue waiters;

	private @Nullable DefaultLease holder;

	private @Nullable AttemptDelay delay;

	private boolean wokenUp;

	private int tokensWanted = 1;

	private boolean lookingUp;

	private boolean closed;

	KeyQueue(EngineCore core, LockTarget target) {
		this.core = core;
		this.target = target;
		this.contention = new KeyContention(core, target, this);
		this.decider = new OutcomeDecider(core);
		this.waiters = new WaitQueue(core);
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
			if (!waiter.request().isOneAttempt()) {
				this.waiters.add(waiter);
			}
			else if (this.holder != null && this.holder.isHeld()) {
				refusal = busyByHolder(this.holder, waiter);
			}
			else {
				waiter.markOver();
				this.waiters.add(waiter);
				skipBackoff();
			}
		}
		if (refusal != null) {
			waiter.fail(refusal);
		}
		advance(waiter);
		return true;
	}

	private LastOutcome busyBy(DefaultLease lease) {
		return LastOutcome.busy(lease.remaining(), this.core.clock().nanoTime());
	}

	private LockException busyByHolder(DefaultLease lease, Waiter waiter) {
		return busyBy(lease).exception(waiter.request(), this.core);
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
			next = waiter.request().nextLook(left);
			if (next.isNegative() || next.isZero()) {
				next = next.plus(waiter.request().overtime());
				reason = whyTimedOut(waiter, next.isNegative() || next.isZero());
				if (reason == null) {
					waiter.markOver();
					skipBackoff();
				}
				else {
					// It leaves the queue before it is notified: nobody is to attempt for
					// it any more.
					leave(waiter);
				}
			}
		}
		if (reason != null) {
			waiter.fail(reason);
		}
		advance(null);
		return (reason != null) ? null : next;
	}

	private @Nullable LockException whyTimedOut(Waiter waiter, boolean last) {
		if (this.holder != null && this.holder.isHeld()) {
			return busyByHolder(this.holder, waiter);
		}
		LockException reason = this.waiters.reasonFor(waiter);
		return (reason == null && last) ? LastOutcome.none(waiter.request(), this.core) : reason;
	}

	/**
	 * Go on without a waiter that has ended without a lease.
	 */
	void forget(Waiter waiter) {
		synchronized (this) {
			leave(waiter);
		}
		advance(null);
	}

	/**
	 * Remove a waiter; if it was the head, the next one attempts at once, unless other
	 * JVMs go first.
	 */
	private void leave(Waiter waiter) {
		boolean head = this.waiters.startsWith(waiter);
		this.waiters.remove(waiter);
		if (head) {
			skipBackoff();
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
			CohortGrant cohort = lease.cohort();
			if (next == null || this.holder != lease
					|| !cohort.canPassTo(next.request(), this.core.settings().handOver(), now)) {
				return false;
			}
			cohort.passOn(now.nanoTime());
			successor = new DefaultLease(this.core, next.request(), cohort, now.nanoTime(),
					cohort.validUntil(next.request(), now.nanoTime()));
			this.holder = successor;
			this.waiters.remove(next);
		}
		this.core.deliver(next, successor, true);
		this.core.confirmations().passedOn(successor.cohort());
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
			this.holder.cohort().stopHandOver();
		}
	}

	/**
	 * Take note that the store no longer has a lease of this JVM.
	 */
	void taken(CohortGrant cohort) {
		DefaultLease lost = null;
		synchronized (this) {
			cohort.stopHandOver();
			if (this.holder != null && this.holder.cohort() == cohort) {
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
			this.waiters.learnIfLater(LastOutcome.busy(null, until));
			CohortGrant cohort = lease.cohort();
			cohort.end();
			int used = cohort.handOvers() + 1;
			// A grant that ran out of tokens asks for twice as many the next time.
			this.tokensWanted = cohort.isOutOfTokens() ? 2 * used : used;
			HandOverSettings bounds = this.core.settings().handOver();
			long now = this.core.clock().nanoTime();
			if (this.waiters.head() != null && cohort.mustYield(bounds, now)) {
				delayFor(cohort.yieldDelay(bounds, now), true);
			}
		}
		advance(null);
	}

	/**
	 * Take note that another JVM waits for what this one has.
	 */
	synchronized void wanted(LeaseGrant grant, Duration pollAfter) {
		if (this.holder != null && this.holder.cohort().grant().ownerId().equals(grant.ownerId())) {
			this.holder.cohort().wanted(this.core.clock().nanoTime() + pollAfter.toNanos());
		}
	}

	/**
	 * Run by the store, whose other waiters and subscriptions are not to suffer from what
	 * goes wrong here.
	 */
	void wakeUp() {
		try {
			synchronized (this) {
				this.wokenUp = true;
				endDelay();
			}
			advance(null);
		}
		catch (Throwable ex) {
			logger.warn("The waiters for {} could not be woken", this.target, ex);
		}
	}

	private void resume(AttemptDelay ended) {
		synchronized (this) {
			if (this.delay != ended) {
				return;
			}
			this.delay = null;
		}
		advance(null);
	}

	/**
	 * Attempt at once, but not before others that are to go first.
	 */
	private void skipBackoff() {
		if (this.delay != null && !this.delay.isForOthers()) {
			endDelay();
		}
	}

	private void endDelay() {
		if (this.delay != null) {
			this.delay.cancel();
			this.delay = null;
		}
	}

	private void delayFor(Duration length, boolean forOthers) {
		endDelay();
		this.delay = new AttemptDelay(this.core.clock(), length, forOthers, this::resume);
	}

	/**
	 * Do what is to be done next.
	 * @param caller the waiter whose thread this is, if it is one's
	 */
	private void advance(@Nullable Waiter caller) {
		List<Runnable> steps = new ArrayList<>(3);
		synchronized (this) {
			AcquireAttempt overdue = this.contention.takeOverdue();
			if (overdue != null) {
				this.waiters.learn(this.decider.giveUp(overdue));
				steps.add(this.waiters.endThoseOver(null));
				steps.add(() -> this.decider.abandon(overdue));
				steps.add(this.contention.withdraw());
			}
			Waiter head = this.waiters.head();
			if (head != null && this.contention.isIdle() && this.delay == null && !isInTheWay(head)) {
				this.wokenUp = false;
				boolean mayBlock = head == caller && head.isBlocking();
				steps.add(this.contention.begin(head, tokenCount(head.request()), mayBlock));
			}
			else if (head == null && this.contention.isIdle()) {
				goIdle();
				steps.add(this.contention.withdraw());
			}
			else if (isLookupNeeded(head)) {
				this.lookingUp = true;
				steps.add(this::lookUp);
			}
		}
		steps.forEach(Runnable::run);
	}

	private void goIdle() {
		endDelay();
		if (this.holder == null && !this.closed) {
			this.closed = true;
			this.core.remove(this.target, this);
		}
	}

	private boolean isInTheWay(Waiter head) {
		// A waiter waits until a release has been answered. The only or last attempt goes
		// out as soon as the lease is over.
		DefaultLease lease = this.holder;
		return lease != null && (lease.isHeld() || !head.isOver());
	}

	/**
	 * Return how many tokens to reserve. Only for waiters that the lease can be passed
	 * to: a range that goes unused at every grant would make tokens outrun the clock.
	 */
	private int tokenCount(ResolvedRequest head) {
		int served = head.minHold().isZero() ? this.waiters.successors() : 0;
		int most = this.core.settings().handOver().maxCount() + 1;
		return (served == 0) ? 1 : Math.min(most, Math.max(this.tokensWanted, 2 * served + 1));
	}

	/**
	 * Return whether somebody waits for evidence behind a head that lets other JVMs go
	 * first, and so does not attempt for now.
	 */
	private boolean isLookupNeeded(@Nullable Waiter head) {
		return this.delay != null && this.delay.isForOthers() && this.contention.isIdle() && !this.lookingUp
				&& this.waiters.isAnyOverBehind(head);
	}

	/**
	 * Ask the store who holds the key, for those whose time is over. If nobody does, they
	 * are told that it is busy all the same, since it is the turn of others; but the head
	 * is about to attempt itself.
	 */
	private void lookUp() {
		this.core.calls().call(() -> this.core.backend().find(this.target.key())).whenComplete((found, failure) -> {
			Runnable answers;
			synchronized (this) {
				this.lookingUp = false;
				long now = this.core.clock().nanoTime();
				this.waiters.learn((failure != null) ? LastOutcome.fault(StoreCalls.causeOf(failure), now)
						: LastOutcome.busy(found.map(LockInfo::remaining).orElse(null), now));
				answers = this.waiters.endThoseOver((failure == null && found.isEmpty()) ? this.waiters.head() : null);
			}
			answers.run();
			advance(null);
		});
	}

	/**
	 * Take the last word of the store on an attempt.
	 * @param since the moment from which a grant counts
	 */
	void conclude(AcquireAttempt attempt, AttemptOutcome outcome, ClockReading since) {
		Runnable consequence;
		synchronized (this) {
			consequence = this.contention.end(attempt)
					? apply(attempt.waiter(), this.decider.decide(attempt, outcome, since))
					: () -> this.decider.giveBack(attempt, outcome);
		}
		try {
			consequence.run();
		}
		finally {
			advance(null);
		}
	}

	private Runnable apply(Waiter waiter, Decision decision) {
		if (decision instanceof Decision.Hold hold) {
			return hold(waiter, hold.lease());
		}
		if (decision instanceof Decision.End end) {
			// The waiter leaves the queue before it is notified, so that nobody attempts
			// for it in between: what that took would be given back, and a tick with it
			// lost.
			this.waiters.remove(waiter);
			return () -> {
				end.cleanUp().run();
				waiter.fail(end.reason());
			};
		}
		return retry(waiter, (Decision.Retry) decision);
	}

	private Runnable hold(Waiter waiter, DefaultLease lease) {
		this.contention.granted();
		this.holder = lease;
		this.waiters.remove(waiter);
		this.waiters.learn(busyBy(lease));
		Runnable answers = this.waiters.endThoseOver(null);
		return () -> {
			this.core.deliver(waiter, lease, false);
			answers.run();
		};
	}

	/**
	 * Let the head of the queue attempt again later, but at once if it was woken up since
	 * it was found busy; those whose time is over end with what is known.
	 */
	private Runnable retry(Waiter waiter, Decision.Retry retry) {
		this.waiters.learn(retry.lastOutcome());
		boolean atOnce = this.wokenUp && !retry.lastOutcome().isFault();
		if (!atOnce && !waiter.isOver() && waiter.isWaiting()) {
			delayFor(retry.delay(), false);
		}
		Runnable answers = this.waiters.endThoseOver(null);
		return () -> {
			retry.cleanUp().run();
			answers.run();
		};
	}

	/**
	 * Return the waiters, for a stop that ends them.
	 */
	synchronized List<Waiter> waiters() {
		return this.waiters.toList();
	}

}
