package io.distributedlock.engine;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockException;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock.Timeout;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

/**
 * The waiters of this JVM for one key, first come first served. Only the head of the
 * queue talks to the store, by one contender and one attempt at a time, and only while no
 * lease of this JVM is in the way. A queue lives as long as it has waiters, a lease or an
 * attempt under way.
 * <p>
 * The fields are guarded by this object's monitor. Nothing foreign is called while it is
 * held: each event decides under the lock what is to be done, and does it after.
 */
final class KeyQueue {

	private final EngineCore core;

	private final LockTarget target;

	private final Set<Waiter> waiters = new LinkedHashSet<>();

	private @Nullable DefaultLease holder;

	private @Nullable Attempt inFlight;

	private @Nullable Contender contender;

	private @Nullable Timeout pause;

	private boolean wokenUp;

	private int failures;

	private Evidence evidence = Evidence.NONE;

	private boolean closed;

	KeyQueue(EngineCore core, LockTarget target) {
		this.core = core;
		this.target = target;
	}

	/**
	 * Add a waiter. One that wants a single attempt is answered at once where a lease of
	 * this JVM or another waiter is in the way.
	 * @return {@code false} if this queue has ended and a new one is needed
	 */
	boolean offer(Waiter waiter) {
		LockException refusal = null;
		synchronized (this) {
			if (this.closed) {
				return false;
			}
			if (waiter.acquisition().isOneAttempt() && isTaken()) {
				refusal = whyNot().exception(waiter.acquisition(), this.core.backendName());
				endPause();
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
		return (this.holder != null && this.holder.isHeld()) || firstWaiting() != null;
	}

	private Evidence whyNot() {
		if (this.holder != null && this.holder.isHeld()) {
			return Evidence.busy(this.holder.remaining());
		}
		// A waiter ahead that has heard nothing yet stands in the way like a holder.
		return this.evidence.isKnown() ? this.evidence : Evidence.busy(null);
	}

	/**
	 * Return how a waiter ends whose time is over.
	 */
	synchronized LockException timeOut(Waiter waiter) {
		boolean unheard = this.holder == null && firstWaiting() == waiter;
		Evidence reason = unheard ? this.evidence : whyNot();
		return reason.exception(waiter.acquisition(), this.core.backendName());
	}

	/**
	 * Remove a waiter that has ended without a lease; if it was the head, the next one
	 * attempts at once.
	 */
	void forget(Waiter waiter) {
		synchronized (this) {
			boolean head = !this.waiters.isEmpty() && this.waiters.iterator().next() == waiter;
			this.waiters.remove(waiter);
			if (head) {
				endPause();
			}
		}
		pump(null);
	}

	/**
	 * Take note that the lease of this JVM is no longer in the way.
	 */
	void ended(DefaultLease lease) {
		synchronized (this) {
			if (this.holder == lease) {
				this.holder = null;
			}
		}
		pump(null);
	}

	private void wakeUp() {
		synchronized (this) {
			this.wokenUp = true;
			endPause();
		}
		pump(null);
	}

	private void resume(Object expected) {
		synchronized (this) {
			if (this.pause != expected) {
				return;
			}
			this.pause = null;
		}
		pump(null);
	}

	private void endPause() {
		if (this.pause != null) {
			this.pause.cancel();
			this.pause = null;
		}
	}

	private void pauseFor(Duration delay) {
		PauseEnd end = new PauseEnd();
		end.timeout = this.core.clock().schedule(delay, end);
		this.pause = end;
	}

	/**
	 * Do what is to be done next.
	 * @param caller the waiter whose thread this is, if it is one's
	 */
	private void pump(@Nullable Waiter caller) {
		Attempt attempt = null;
		Attempt overdue = null;
		Contender unused = null;
		synchronized (this) {
			Waiter head = firstWaiting();
			overdue = takeOverdue();
			boolean underWay = this.inFlight != null;
			if (head == null && !underWay) {
				endPause();
				unused = this.contender;
				this.contender = null;
				if (this.holder == null && !this.closed) {
					this.closed = true;
					this.core.remove(this.target, this);
				}
			}
			else if (head != null && !underWay && this.pause == null && !isInTheWay(head)) {
				attempt = new Attempt(head, OwnerId.random(), Moment.now(this.core.clock()));
				this.inFlight = attempt;
				this.wokenUp = false;
			}
		}
		if (overdue != null) {
			this.core.aftercare().abandon(this.target, overdue.ownerId(), overdue.waiter().acquisition());
		}
		if (unused != null) {
			unused.withdraw();
		}
		if (attempt != null) {
			send(attempt, attempt.waiter() == caller && caller.isBlocking());
		}
	}

	private @Nullable Attempt takeOverdue() {
		Attempt attempt = this.inFlight;
		if (attempt == null || !attempt.isOverdue(this.core.clock().nanoTime())) {
			return null;
		}
		this.inFlight = null;
		this.evidence = Evidence.fault(new IllegalStateException("no answer in time"));
		return attempt;
	}

	private boolean isInTheWay(Waiter head) {
		// A waiter waits until a release has been answered; one attempt goes out at once
		// when
		// the lease is over, since it has no second one.
		DefaultLease lease = this.holder;
		return lease != null && (lease.isHeld() || !head.acquisition().isOneAttempt());
	}

	private @Nullable Waiter firstWaiting() {
		for (Iterator<Waiter> iterator = this.waiters.iterator(); iterator.hasNext();) {
			Waiter waiter = iterator.next();
			if (waiter.isWaiting()) {
				return waiter;
			}
			iterator.remove();
		}
		return null;
	}

	private void send(Attempt attempt, boolean mayBlock) {
		Acquisition acquisition = attempt.waiter().acquisition();
		Duration patience = Duration.ZERO;
		if (mayBlock) {
			Duration left = attempt.waiter().timeLeft(attempt.sentAt().nano());
			patience = left.isNegative() ? Duration.ZERO : left;
		}
		LeaseRequest request = new LeaseRequest(attempt.ownerId(), acquisition.ttl(), span(),
				acquisition.request().getTick(), !acquisition.isOneAttempt(), acquisition.callTimeout(), patience);
		this.core.pending().begin();
		attempt.send(contender(), request).whenComplete((outcome, failure) -> {
			try {
				onOutcome(attempt, (failure != null) ? EngineCore.unavailable(failure) : outcome);
			}
			finally {
				this.core.pending().end();
			}
		});
	}

	private synchronized int span() {
		return 1;
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
		boolean overdue;
		synchronized (this) {
			overdue = !attempt.equals(this.inFlight);
			if (!overdue) {
				this.inFlight = null;
			}
		}
		if (overdue) {
			// It was given up, and another attempt may have taken its place.
			if (outcome instanceof AttemptOutcome.Granted late) {
				this.core.aftercare().giveBack(late.grant(), attempt.waiter().acquisition());
			}
			return;
		}
		if (outcome instanceof AttemptOutcome.Granted granted) {
			onGranted(attempt, granted.grant());
		}
		else if (outcome instanceof AttemptOutcome.Busy busy) {
			onBusy(attempt, busy);
		}
		else if (outcome instanceof AttemptOutcome.Done done) {
			attempt.waiter().fail(new TickDoneException(this.target.key(), done.tick()));
		}
		else if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			onUnavailable(attempt, unavailable);
		}
		pump(null);
	}

	private void onGranted(Attempt attempt, LeaseGrant grant) {
		Moment now = Moment.now(this.core.clock());
		Acquisition acquisition = attempt.waiter().acquisition();
		if (grant.validUntil() - now.nano() <= 0 || attempt.sentAt().stoodStill(now, acquisition.ttl())) {
			// No grant: its time was over before it arrived.
			this.core.aftercare().giveBack(grant, acquisition);
			onUnavailable(attempt, new AttemptOutcome.Unavailable(
					new IllegalStateException("the answer came after the lease had run out"), false));
			return;
		}
		Tenure tenure = new Tenure(grant, now.nano());
		DefaultLease lease = new DefaultLease(this.core, acquisition, tenure, now.nano(), grant.validUntil());
		synchronized (this) {
			this.contender = null;
			this.failures = 0;
			this.evidence = Evidence.NONE;
			this.holder = lease;
			this.waiters.remove(attempt.waiter());
		}
		deliver(attempt.waiter(), lease);
	}

	private void deliver(Waiter waiter, DefaultLease lease) {
		if (waiter.grant(lease)) {
			this.core.renewals().add(lease);
			this.core.acquired(waiter, lease);
		}
		else {
			// The waiter has gone meanwhile: nobody knows this lease, so it goes back.
			lease.end();
		}
	}

	private void onBusy(Attempt attempt, AttemptOutcome.Busy busy) {
		Waiter waiter = attempt.waiter();
		Evidence busyNow = Evidence.busy(busy.retryAfter());
		synchronized (this) {
			this.failures = 0;
			this.evidence = busyNow;
			if (!waiter.acquisition().isOneAttempt() && !this.wokenUp && waiter.isWaiting()) {
				pauseFor(busy.pollAfter());
			}
		}
		if (waiter.acquisition().isOneAttempt()) {
			waiter.fail(busyNow.exception(waiter.acquisition(), this.core.backendName()));
		}
	}

	private void onUnavailable(Attempt attempt, AttemptOutcome.Unavailable unavailable) {
		Waiter waiter = attempt.waiter();
		if (unavailable.sent()) {
			this.core.aftercare().abandon(this.target, attempt.ownerId(), waiter.acquisition());
		}
		if (unavailable.cause() instanceof InvalidLockRequestException invalid) {
			waiter.fail(invalid);
			return;
		}
		Evidence fault = Evidence.fault(unavailable.cause());
		synchronized (this) {
			this.evidence = fault;
			if (!waiter.acquisition().isOneAttempt() && waiter.isWaiting()) {
				endPause();
				pauseFor(Backoff.STORE_FAULT.delay(this.failures++));
			}
		}
		if (waiter.acquisition().isOneAttempt()) {
			waiter.fail(fault.exception(waiter.acquisition(), this.core.backendName()));
		}
	}

	/**
	 * Return the waiters, for a stop that ends them.
	 */
	synchronized List<Waiter> waiters() {
		return List.copyOf(this.waiters);
	}

	private final class PauseEnd implements Runnable, Timeout {

		private @Nullable Timeout timeout;

		@Override
		public void run() {
			resume(this);
		}

		@Override
		public void cancel() {
			Timeout scheduled = this.timeout;
			if (scheduled != null) {
				scheduled.cancel();
			}
		}

	}

}
