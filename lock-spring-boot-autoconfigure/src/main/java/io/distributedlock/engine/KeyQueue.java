package io.distributedlock.engine;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.engine.OutcomeDecider.Decision;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.ClockReading;

/**
 * Serves the waiters of this JVM for one key in order of arrival, whatever their mode.
 * Only the head of the queue contends at the store, with one contender and one attempt at
 * a time, and only while no exclusive lease of this JVM is in the way. An exclusive lease
 * that is released is handed over to the head without asking the store if its
 * {@link CohortGrant} allows that (lock cohorting after Dice, Marathe and Shavit, 2012).
 * Readers at the head join the grant of another reader under the same conditions. A queue
 * lives as long as it has waiters, a lease or an attempt under way.
 * <p>
 * The fields are guarded by this object's monitor. Each event decides under the monitor
 * which steps follow, and runs them after leaving it: neither stores nor callers are
 * called while the monitor is held.
 */
final class KeyQueue implements AttemptDelay.Delayed {

	private static final Runnable NOTHING = () -> {
	};

	private final EngineParts parts;

	// Called with the monitor held, when this queue is no longer needed.
	private final Consumer<KeyQueue> onEnd;

	private final KeyContention contention;

	private final OutcomeDecider decider;

	private final WaitQueue waiters;

	private final KeyHolder holder;

	private final AttemptDelay delay;

	private boolean wokenUp;

	private boolean closed;

	// The thread that takes the next steps, if any, and whether more have to follow.
	private @Nullable Thread advancing;

	private boolean advancesAgain;

	KeyQueue(EngineParts parts, Consumer<KeyQueue> onEnd) {
		this.parts = parts;
		this.onEnd = onEnd;
		this.contention = new KeyContention(parts, this);
		this.decider = new OutcomeDecider(parts, this);
		this.waiters = new WaitQueue(parts.backend());
		this.holder = new KeyHolder(this);
		this.delay = new AttemptDelay(this);
	}

	/**
	 * Add a waiter. If it wants a single attempt and a lease of this JVM excludes it, it
	 * ends busy immediately. If only other waiters are in the way, the first of them
	 * attempts immediately, and its answer counts for both.
	 * @return {@code false} if this queue has ended and a new one is needed
	 */
	boolean offer(Waiter waiter) {
		LastOutcome busy = null;
		Runnable steps;
		synchronized (this) {
			if (this.closed) {
				return false;
			}
			waiter.takenBy(this);
			if (!waiter.request().isOneAttempt()) {
				this.waiters.add(waiter);
			}
			else {
				busy = this.holder.busy(waiter.request());
				if (busy == null) {
					waiter.markOver();
					this.waiters.add(waiter);
					skipBackoff();
				}
			}
			// Steps that were decided on must not depend on the end of another waiter.
			steps = (busy != null) ? this::advance : nextSteps(waiter);
		}
		if (busy != null) {
			waiter.fail(busy.exception(waiter.request(), this.parts.backend()));
		}
		steps.run();
		return true;
	}

	/**
	 * Check a waiter whose wait time may be over, unless its end is already decided, for
	 * example by a lease that is about to be delivered. If evidence that the key is not
	 * available arrived during its own wait, the waiter ends now. Otherwise the store is
	 * asked once more, or is being asked already, and the waiter ends with the answer.
	 * Without an answer it ends after its overtime.
	 * @return the time until the next check, or {@code null} if none is needed
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
					// It leaves the queue before it is notified, so that no further
					// attempt is made for it.
					leave(waiter);
				}
			}
		}
		if (reason != null) {
			waiter.fail(reason);
		}
		advance();
		return (reason != null) ? null : next;
	}

	private @Nullable LockException whyTimedOut(Waiter waiter, boolean last) {
		LastOutcome busy = this.holder.busy(waiter.request());
		LockException reason = (busy != null) ? busy.exception(waiter.request(), this.parts.backend())
				: this.waiters.reasonFor(waiter);
		return (reason == null && last) ? LastOutcome.none(waiter.request(), this.parts.backend()) : reason;
	}

	/**
	 * Continue without a waiter that has ended without a lease.
	 */
	void forget(Waiter waiter) {
		synchronized (this) {
			leave(waiter);
		}
		advance();
	}

	/**
	 * Remove a waiter. If it was the head, the next one attempts immediately, unless
	 * other JVMs go first.
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
	 * is one and the grant allows it.
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

	EngineParts parts() {
		return this.parts;
	}

	KeyHolder holder() {
		return this.holder;
	}

	/**
	 * Called when a grant of this JVM has ended with its last lease. If the hand-overs
	 * have reached their bounds, or other JVMs are known to wait, the other JVMs go
	 * first.
	 */
	void ended(DefaultLease lease) {
		synchronized (this) {
			if (!this.holder.end(lease)) {
				return;
			}
			if (lease.request().target().isGroup()) {
				skipBackoff();
			}
			else {
				yieldIfDue(lease);
			}
		}
		advance();
	}

	private void yieldIfDue(DefaultLease lease) {
		// The lease was in the way until just before it ended.
		this.waiters.learnIfLater(LastOutcome.busy(null, lease.endedAt() - 1));
		HandOverSettings bounds = this.parts.settings().handOver();
		long now = this.parts.now();
		if (this.waiters.head() != null && lease.cohort().mustYield(bounds, now)) {
			this.delay.begin(this.parts.clock(), lease.cohort().yieldDelay(bounds, now), true);
		}
	}

	/**
	 * Attempt soon, because the key may be free.
	 */
	void wakeUp() {
		synchronized (this) {
			this.wokenUp = true;
			this.delay.cancel();
		}
		advance();
	}

	/**
	 * Attempt immediately, unless other JVMs are to go first.
	 */
	private void skipBackoff() {
		if (!this.delay.isForOthers()) {
			this.delay.cancel();
		}
	}

	@Override
	public void delayEnded() {
		advance();
	}

	/**
	 * Take the next steps. A store that answers at once calls this again before they have
	 * returned. The steps that follow then are taken by the first call, so that the stack
	 * does not grow with the number of waiters.
	 */
	private void advance() {
		Runnable steps;
		boolean first;
		synchronized (this) {
			if (this.advancing == Thread.currentThread()) {
				this.advancesAgain = true;
				return;
			}
			steps = nextSteps(null);
			first = this.advancing == null;
			this.advancing = first ? Thread.currentThread() : this.advancing;
		}
		if (first) {
			runAndContinue(steps);
		}
		else {
			steps.run();
		}
	}

	private void runAndContinue(Runnable first) {
		Throwable failure = null;
		for (Runnable steps = first; steps != null; steps = followingSteps()) {
			try {
				steps.run();
			}
			catch (RuntimeException | Error ex) {
				failure = ex;
			}
		}
		if (failure instanceof Error error) {
			throw error;
		}
		if (failure != null) {
			throw (RuntimeException) failure;
		}
	}

	private synchronized @Nullable Runnable followingSteps() {
		this.advancing = null;
		if (!this.advancesAgain) {
			return null;
		}
		this.advancesAgain = false;
		Runnable steps = nextSteps(null);
		this.advancing = Thread.currentThread();
		return steps;
	}

	/**
	 * Decide on the next steps.
	 * @param caller the waiter that this thread belongs to, if any
	 * @return the steps, to be run when the monitor is not held
	 */
	private Runnable nextSteps(@Nullable Waiter caller) {
		AcquireAttempt overdue = this.contention.takeOverdue();
		if (overdue == null) {
			return nextStep(caller);
		}
		Runnable answers = this.waiters.learn(this.decider.giveUp(overdue));
		Runnable withdrawal = this.contention.withdraw();
		Runnable next = nextStep(caller);
		return () -> {
			answers.run();
			this.decider.abandon(overdue);
			withdrawal.run();
			next.run();
		};
	}

	private Runnable nextStep(@Nullable Waiter caller) {
		if (!this.contention.isIdle()) {
			return NOTHING;
		}
		Waiter head = this.waiters.head();
		if (head == null) {
			goIdle();
			return this.contention.withdraw();
		}
		DefaultLease joined = this.holder.join(head.request());
		if (joined != null) {
			return joinAll(head, joined);
		}
		if (!this.delay.isUnderWay() && !this.holder.isInTheWayOf(head)) {
			StoreCircuit.Permit permit = this.parts.gates().circuit().permit();
			if (permit == null) {
				return refuseAll();
			}
			this.wokenUp = false;
			int tokens = this.holder.tokenCount(head.request(), this.waiters);
			boolean mayBlock = head == caller && head.isBlocking();
			return this.contention.begin(head, tokens, mayBlock, permit);
		}
		// A waiter behind the head may need evidence, while the head lets other JVMs go
		// first and does not attempt for now.
		return (this.delay.isForOthers() && this.waiters.isAnyOverBehind(head))
				? this.contention.lookUp(head.request().key()) : NOTHING;
	}

	/**
	 * Let the readers at the head of the queue use the grant of a reader in this JVM.
	 * @param first the head
	 * @param lease its lease
	 */
	private Runnable joinAll(Waiter first, DefaultLease lease) {
		Map<Waiter, DefaultLease> joined = new LinkedHashMap<>();
		Waiter waiter = first;
		DefaultLease next = lease;
		while (waiter != null && next != null) {
			joined.put(waiter, next);
			this.waiters.remove(waiter);
			waiter = this.waiters.head();
			next = (waiter != null) ? this.holder.join(waiter.request()) : null;
		}
		Runnable steps = nextStep(null);
		return () -> {
			joined.forEach((reader, joinedLease) -> this.parts.lifecycle().deliver(reader, joinedLease, true));
			try {
				this.parts.handOverChecks().handedOver(lease.cohort());
			}
			finally {
				steps.run();
			}
		};
	}

	/**
	 * End all waiters, because the circuit to the store is open.
	 */
	private Runnable refuseAll() {
		List<Waiter> refused = this.waiters.toList();
		refused.forEach(this.waiters::remove);
		goIdle();
		Runnable withdrawal = this.contention.withdraw();
		return () -> {
			withdrawal.run();
			refused.forEach((waiter) -> waiter.fail(this.parts.gates().circuit().exception()));
		};
	}

	private void goIdle() {
		this.delay.cancel();
		if (this.holder.isEmpty() && !this.closed) {
			this.closed = true;
			this.onEnd.accept(this);
		}
	}

	/**
	 * Process the answer of a look-up. Even if the key has no holder, the waiters with an
	 * elapsed wait time end busy, because it is the turn of other JVMs. The head is
	 * exempt, since it is about to attempt itself.
	 */
	void lookedUp(LastOutcome outcome, boolean free) {
		Runnable answers;
		synchronized (this) {
			this.contention.endLookup();
			answers = this.waiters.learn(outcome, free ? this.waiters.head() : null);
		}
		answers.run();
		advance();
	}

	/**
	 * Process the final outcome of an attempt.
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
			advance();
		}
	}

	private Runnable apply(Waiter waiter, Decision decision) {
		if (decision instanceof Decision.Hold hold) {
			return hold(waiter, hold.lease());
		}
		if (decision instanceof Decision.End end) {
			// The waiter leaves the queue before it is notified, so that no attempt is
			// made for it in between. A grant of such an attempt would be given back, and
			// its tick lost.
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
		// Others may enter the same group.
		Runnable answers = lease.request().target().isGroup() ? NOTHING
				: this.waiters.learn(LastOutcome.busy(lease.remaining(), this.parts.now()));
		return () -> {
			this.parts.lifecycle().deliver(waiter, lease, false);
			answers.run();
		};
	}

	/**
	 * Let the head of the queue attempt again later, or immediately if the queue was
	 * woken up during an attempt that did not end with a fault. Waiters with an elapsed
	 * wait time end with this outcome.
	 */
	private Runnable retry(Waiter waiter, Decision.Retry retry) {
		boolean atOnce = this.wokenUp && !retry.lastOutcome().isFault();
		if (!atOnce && !waiter.isOver() && waiter.isWaiting()) {
			this.delay.begin(this.parts.clock(), retry.delay(), false);
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
