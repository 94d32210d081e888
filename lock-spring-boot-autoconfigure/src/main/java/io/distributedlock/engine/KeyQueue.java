package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.engine.OutcomeDecider.Decision;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.ClockReading;
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

	private final EngineParts parts;

	// Called with the monitor held, when this queue is needed no more.
	private final Consumer<KeyQueue> onEnd;

	private final KeyContention contention;

	private final OutcomeDecider decider;

	private final WaitQueue waiters;

	private final KeyHolder holder;

	private final AttemptDelay delay;

	private boolean wokenUp;

	private boolean closed;

	KeyQueue(EngineParts parts, LockTarget target, Consumer<KeyQueue> onEnd) {
		this.parts = parts;
		this.onEnd = onEnd;
		this.contention = new KeyContention(parts, target, this);
		this.decider = new OutcomeDecider(parts, this);
		this.waiters = new WaitQueue(parts.backend());
		this.holder = new KeyHolder(parts, this);
		this.delay = new AttemptDelay(parts.clock(), this, () -> advance(null));
	}

	/**
	 * Add a waiter. One that wants a single attempt is answered at once if a lease of
	 * this JVM is in the way. If only other waiters are, the first of them attempts at
	 * once, and its answer counts for both.
	 * @return {@code false} if this queue has ended and a new one is needed
	 */
	boolean offer(Waiter waiter) {
		LastOutcome busy = null;
		synchronized (this) {
			if (this.closed) {
				return false;
			}
			waiter.takenBy(this);
			if (!waiter.request().isOneAttempt()) {
				this.waiters.add(waiter);
			}
			else {
				busy = this.holder.busy();
				if (busy == null) {
					waiter.markOver();
					this.waiters.add(waiter);
					skipBackoff();
				}
			}
		}
		if (busy != null) {
			waiter.fail(busy.exception(waiter.request(), this.parts.backend()));
		}
		advance(waiter);
		return true;
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
			Duration left = waiter.timeLeft(this.parts.now());
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
		LastOutcome busy = this.holder.busy();
		LockException reason = (busy != null) ? busy.exception(waiter.request(), this.parts.backend())
				: this.waiters.reasonFor(waiter);
		return (reason == null && last) ? LastOutcome.none(waiter.request(), this.parts.backend()) : reason;
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
	 * Hand over a lease that its holder has released to the head of the queue, if there
	 * is one and the grant allows.
	 * @return {@code false} if the lease has to go back to the store
	 */
	boolean handOver(DefaultLease lease) {
		Waiter next;
		DefaultLease successor;
		synchronized (this) {
			next = this.waiters.head();
			successor = (next != null) ? this.holder.handOver(lease, next.request()) : null;
			if (next == null || successor == null) {
				return false;
			}
			this.waiters.remove(next);
		}
		this.parts.lifecycle().deliver(next, successor, true);
		this.parts.handOverChecks().handedOver(successor.cohort());
		return true;
	}

	KeyHolder holder() {
		return this.holder;
	}

	/**
	 * Take note that a lease of this JVM is no longer in the way. After one that was
	 * handed over as far as it may be, or that others are known to wait for, other JVMs
	 * go first.
	 */
	void ended(DefaultLease lease) {
		synchronized (this) {
			if (!this.holder.end(lease)) {
				return;
			}
			// It was in the way until just before it ended.
			this.waiters.learnIfLater(LastOutcome.busy(null, lease.endedAt() - 1));
			HandOverSettings bounds = this.parts.settings().handOver();
			long now = this.parts.now();
			if (this.waiters.head() != null && lease.cohort().mustYield(bounds, now)) {
				this.delay.begin(lease.cohort().yieldDelay(bounds, now), true);
			}
		}
		advance(null);
	}

	/**
	 * Attempt soon: the key may be free.
	 */
	void wakeUp() {
		synchronized (this) {
			this.wokenUp = true;
			this.delay.cancel();
		}
		advance(null);
	}

	/**
	 * Attempt at once, but not before others that are to go first.
	 */
	private void skipBackoff() {
		if (!this.delay.isForOthers()) {
			this.delay.cancel();
		}
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
				steps.add(this.waiters.learn(this.decider.giveUp(overdue)));
				steps.add(() -> this.decider.abandon(overdue));
				steps.add(this.contention.withdraw());
			}
			Waiter head = this.waiters.head();
			if (head != null && this.contention.isIdle() && !this.delay.isUnderWay()
					&& !this.holder.isInTheWayOf(head)) {
				this.wokenUp = false;
				int tokens = this.holder.tokenCount(head.request(), this.waiters);
				boolean mayBlock = head == caller && head.isBlocking();
				steps.add(this.contention.begin(head, tokens, mayBlock));
			}
			else if (head == null && this.contention.isIdle()) {
				goIdle();
				steps.add(this.contention.withdraw());
			}
			else if (this.contention.isIdle() && this.delay.isForOthers() && this.waiters.isAnyOverBehind(head)) {
				// Somebody waits for evidence behind a head that lets other JVMs go
				// first,
				// and so does not attempt for now.
				steps.add(this.contention.lookUp());
			}
		}
		steps.forEach(Runnable::run);
	}

	private void goIdle() {
		this.delay.cancel();
		if (this.holder.lease() == null && !this.closed) {
			this.closed = true;
			this.onEnd.accept(this);
		}
	}

	/**
	 * Take the answer of a look-up. If nobody holds the key, those whose time is over end
	 * busy all the same, since it is the turn of other JVMs; but the head is about to
	 * attempt itself.
	 */
	void lookedUp(LastOutcome outcome, boolean free) {
		Runnable answers;
		synchronized (this) {
			this.contention.endLookup();
			answers = this.waiters.learn(outcome, free ? this.waiters.head() : null);
		}
		answers.run();
		advance(null);
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
		this.holder.hold(lease);
		this.waiters.remove(waiter);
		Runnable answers = this.waiters.learn(LastOutcome.busy(lease.remaining(), this.parts.now()));
		return () -> {
			this.parts.lifecycle().deliver(waiter, lease, false);
			answers.run();
		};
	}

	/**
	 * Let the head of the queue attempt again later, but at once if it was woken up since
	 * it was found busy; those whose time is over end with what is known.
	 */
	private Runnable retry(Waiter waiter, Decision.Retry retry) {
		boolean atOnce = this.wokenUp && !retry.lastOutcome().isFault();
		if (!atOnce && !waiter.isOver() && waiter.isWaiting()) {
			this.delay.begin(retry.delay(), false);
		}
		Runnable answers = this.waiters.learn(retry.lastOutcome());
		return () -> {
			retry.cleanUp().run();
			answers.run();
		};
	}

	synchronized List<Waiter> waiters() {
		return this.waiters.toList();
	}

}
