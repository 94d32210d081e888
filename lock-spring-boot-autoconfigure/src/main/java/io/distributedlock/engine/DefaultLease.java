package io.distributedlock.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.ExtensionBounds;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A lease of the engine: the state machine HELD → RELEASED or LOST, and the deadline by
 * which a lease that is held becomes lost.
 * <p>
 * Transitions and the deadline are guarded by this object's monitor; nothing foreign is
 * called while it is held. Reads need no lock: a state that is not HELD never changes,
 * and a deadline that has passed is never moved, so that what was once seen as not held
 * stays so (but for a suspected lease, see {@link #suspect}).
 */
final class DefaultLease implements Lease {

	private enum State {

		HELD, RELEASED, LOST

	}

	private final EngineParts parts;

	private final ResolvedRequest request;

	private final CohortGrant cohort;

	private final long token;

	private final long acquiredAt;

	private final List<Consumer<? super Lease>> lossListeners = new ArrayList<>(0);

	private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	private volatile State state = State.HELD;

	private final LeaseDeadline deadline;

	private final RenewalSchedule schedule;

	// Whether nobody has this lease, although it is held.
	private volatile boolean disowned;

	private volatile boolean renewed;

	private volatile Duration minHold;

	private volatile Duration cooldown = Duration.ZERO;

	private volatile @Nullable LossReason lossReason;

	// When this lease was released or lost; written before the state.
	private volatile long endedAt;

	DefaultLease(EngineParts parts, ResolvedRequest request, CohortGrant cohort, long now, long validUntil) {
		this.parts = parts;
		this.request = request;
		this.cohort = cohort;
		this.token = cohort.token();
		this.acquiredAt = now;
		Duration maxHold = request.maxHold();
		long holdUntil = now + ((maxHold != null) ? maxHold : ResolvedRequest.WITHOUT_LIMIT).toNanos();
		this.deadline = new LeaseDeadline(cohort, holdUntil, validUntil);
		this.schedule = new RenewalSchedule(request, now);
		this.minHold = request.minHold();
		this.renewed = request.lockRequest().isRenewed();
	}

	@Override
	public String key() {
		if (keys().size() > 1) {
			throw new IllegalStateException(LockKeys.printable("This lease has several keys: " + keys()));
		}
		return this.request.key();
	}

	@Override
	public List<String> keys() {
		return this.request.target().keys();
	}

	@Override
	public long fencingToken() {
		return fencingToken(key());
	}

	@Override
	public long fencingToken(String key) {
		if (!keys().contains(key)) {
			throw new IllegalArgumentException(
					LockKeys.printable("This lease is on " + keys() + ", not on '" + key + "'"));
		}
		return this.token;
	}

	@Override
	public boolean isHeld() {
		return this.state == State.HELD && !this.deadline.isSuspected()
				&& this.deadline.nanosLeft(this.parts.now()) > 0;
	}

	/**
	 * Return whether a body may begin on this lease: it is held, and a tenth of its ttl
	 * is left, so that it does not run out while the body is about to begin.
	 */
	boolean canBegin() {
		long least = this.request.ttl().toNanos() / 10;
		return isHeld() && this.deadline.nanosConfirmed(this.parts.now()) >= least;
	}

	@Override
	public Duration remaining() {
		return isHeld() ? Duration.ofNanos(Math.max(0, this.deadline.nanosLeft(this.parts.now()))) : Duration.ZERO;
	}

	@Override
	public void verify() {
		askStore(Duration.ZERO);
	}

	@Override
	public void extend(Duration atLeast) {
		ExtensionBounds.check(keys(), atLeast);
		Duration maxHold = this.request.maxHold();
		Duration left = this.deadline.holdLeft(this.parts.now());
		if (maxHold != null && atLeast.compareTo(left) > 0) {
			throw new InvalidLockRequestException("The lease on " + keys() + " can't be extended by " + atLeast
					+ ": its maximum hold of " + maxHold + " ends in " + left.truncatedTo(ChronoUnit.MILLIS));
		}
		askStore(LockClock.ttlFor(atLeast));
	}

	private void askStore(Duration ttl) {
		long now = this.parts.now();
		if (!expireIfOver(now) || this.state != State.HELD) {
			throw notHeld();
		}
		RenewalOutcome outcome = this.parts.renewals().renewNow(this, renewal(ttl, now));
		if (outcome instanceof RenewalOutcome.Unknown unknown) {
			if (unknown.cause() instanceof InvalidLockRequestException refusal) {
				throw refusal;
			}
			throw unconfirmed(unknown.cause());
		}
		if (this.state != State.HELD) {
			throw notHeld();
		}
	}

	private LockUnavailableException unconfirmed(Throwable cause) {
		String message = "The lease on " + keys() + " could not be confirmed by the backend "
				+ this.parts.backend().withAddress() + ": " + cause.getMessage();
		return (cause instanceof LockRefusedException) ? new LockRefusedException(message, cause)
				: new LockUnavailableException(message, cause);
	}

	@Override
	public void onLost(Consumer<? super Lease> listener) {
		synchronized (this) {
			if (this.state == State.HELD) {
				this.lossListeners.add(listener);
				return;
			}
			if (this.state == State.RELEASED) {
				return;
			}
		}
		this.parts.lifecycle().notifyLossListeners(this, List.of(listener));
	}

	@Override
	public boolean release() {
		end();
		return this.parts.lifecycle().awaitEnd(this);
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		return end().thenApplyAsync((held) -> held, this.parts.threads());
	}

	@Override
	public void close() {
		if (!release() && isLost()) {
			throw lostException();
		}
	}

	/**
	 * Release this lease, unless it has ended before.
	 * @return completed by {@link #settle} or by the loss
	 */
	CompletableFuture<Boolean> end() {
		boolean released = false;
		if (expireIfOver(this.parts.now())) {
			synchronized (this) {
				if (this.state == State.HELD) {
					this.endedAt = this.parts.now();
					this.state = State.RELEASED;
					released = true;
				}
			}
		}
		if (released) {
			this.parts.lifecycle().release(this);
		}
		return this.ended;
	}

	/**
	 * Return what is completed when this lease has ended, by whatever means.
	 */
	CompletableFuture<Boolean> ended() {
		return this.ended;
	}

	/**
	 * Let the watchdog release this lease: nobody else is going to. A mere mark, which
	 * can be set where nothing else can be done any more.
	 */
	void disown() {
		this.disowned = true;
	}

	boolean isDisowned() {
		return this.disowned;
	}

	/**
	 * Renew no more: the lease ends with its deadline if it is not released before.
	 */
	void stopRenewal() {
		this.renewed = false;
	}

	/**
	 * Take the store's answer to the release, or that there was none.
	 * @param stood whether the lease still stood there
	 * @return {@code false} if there was one before
	 */
	boolean settle(boolean stood) {
		if (!stood && !this.ended.isDone()) {
			this.lossReason = LossReason.TAKEN;
		}
		return this.ended.complete(stood);
	}

	/**
	 * Take note that the store refuses the release for good. The lease was not lost, but
	 * the lock stays taken for as long as the store keeps it.
	 * @return {@code false} if there was an answer before
	 */
	boolean settleRefused() {
		return this.ended.complete(false);
	}

	/**
	 * Return whether this lease was lost. One that ended without that was released.
	 */
	boolean isLost() {
		return this.lossReason != null;
	}

	/**
	 * Return whether the store has let a release wait for far too long.
	 */
	boolean isReleaseOverdue(long now) {
		return this.state == State.RELEASED && now - this.endedAt > this.request.silenceLimit().toNanos();
	}

	/**
	 * Wait no longer for the answer to the release.
	 */
	void giveUpRelease() {
		this.parts.lifecycle().giveUpRelease(this);
	}

	/**
	 * Return when this lease was released or lost, as a value of the monotonic clock.
	 */
	long endedAt() {
		return this.endedAt;
	}

	/**
	 * Lose this lease, unless it has ended before.
	 * @param reason why
	 */
	void lose(LossReason reason) {
		List<Consumer<? super Lease>> listeners;
		synchronized (this) {
			if (this.state != State.HELD) {
				return;
			}
			this.lossReason = reason;
			this.endedAt = this.parts.now();
			this.state = State.LOST;
			listeners = List.copyOf(this.lossListeners);
		}
		this.ended.complete(false);
		this.parts.lifecycle().lost(this, reason, listeners);
	}

	/**
	 * Lose this lease if its deadline has passed.
	 * @return {@code false} if the deadline has passed
	 */
	boolean expireIfOver(long now) {
		if (this.deadline.nanosLeft(now) > 0) {
			return true;
		}
		Duration holdLeft = this.deadline.holdLeft(now);
		lose((holdLeft.isNegative() || holdLeft.isZero()) ? LossReason.MAX_HOLD : LossReason.EXPIRED);
		return false;
	}

	/**
	 * Count this lease as not held until the store has confirmed it: this machine may
	 * have stood still for a time that the monotonic clock did not count. If the store
	 * can't tell, the deadline is nearer by that time.
	 */
	synchronized void suspect(long nanosGained) {
		this.deadline.suspect(nanosGained, this.parts.now());
	}

	/**
	 * Begin a renewal if one is due.
	 * @return what to send, or {@code null} where nothing is due
	 */
	synchronized @Nullable Renewal beginRenewal(long now) {
		if (this.state != State.HELD || this.schedule.isAwaitingAnswer(now)) {
			return null;
		}
		boolean due = isRenewed() && this.schedule.next() - now <= 0;
		if (!due && !this.deadline.isSuspected()) {
			return null;
		}
		this.schedule.begin(now);
		return renewal(isRenewed() ? this.request.ttl() : Duration.ZERO, now);
	}

	/**
	 * Return what to send. A suspected lease is also to be kept for what seems to be left
	 * of it: only so is it known again afterwards how much that is.
	 */
	Renewal renewal(Duration ttl, long now) {
		Duration rest = this.deadline.isSuspected()
				? LockClock.ttlFor(Duration.ofNanos(this.deadline.nanosConfirmed(now))) : Duration.ZERO;
		return new Renewal(this.cohort.grant(), (rest.compareTo(ttl) > 0) ? rest : ttl);
	}

	void endRenewal(RenewalOutcome outcome, ClockReading sentAt) {
		long now = this.parts.now();
		synchronized (this) {
			this.schedule.end(!(outcome instanceof RenewalOutcome.Unknown), now);
		}
		onRenewal(outcome, sentAt);
	}

	/**
	 * Take the outcome of a renewal. Of a suspected lease only the answer to what was
	 * sent after the suspicion says whether it stands and for how long.
	 * @param sentAt the moment before it was sent
	 */
	void onRenewal(RenewalOutcome outcome, ClockReading sentAt) {
		boolean counts = this.deadline.counts(sentAt);
		if (outcome instanceof RenewalOutcome.Lost) {
			lose(LossReason.TAKEN);
		}
		else if (!counts) {
			return;
		}
		else if (outcome instanceof RenewalOutcome.Renewed standing) {
			confirm(standing.validUntil(), sentAt);
		}
		else if (this.deadline.mayBeOver(this.parts.now())) {
			lose(LossReason.EXPIRED);
		}
	}

	/**
	 * Take the store's word that this lease stands. It counts only before the deadline
	 * that held until now: a lease that is past it is lost for good.
	 */
	private void confirm(long until, ClockReading sentAt) {
		if (!expireIfOver(this.parts.now())) {
			return;
		}
		synchronized (this) {
			this.deadline.confirm(until);
		}
		this.cohort.confirmed(sentAt, until);
	}

	/**
	 * Return when the renewals have to look at this lease next.
	 */
	synchronized long nextEvent() {
		long now = this.parts.now();
		if (this.state != State.HELD) {
			return now + ResolvedRequest.WITHOUT_LIMIT.toNanos();
		}
		long end = now + this.deadline.nanosLeft(now);
		boolean renewalFirst = isRenewed() && !this.schedule.isUnderWay() && this.schedule.next() - end < 0;
		return renewalFirst ? this.schedule.next() : end;
	}

	boolean isOpen() {
		return this.state == State.HELD;
	}

	boolean isRenewed() {
		return this.renewed;
	}

	/**
	 * Let a nested call demand a longer minimum hold. Called on the thread of the scope,
	 * which also ends it.
	 */
	void raiseMinHold(Duration atLeast) {
		if (atLeast.compareTo(this.minHold) > 0) {
			this.minHold = atLeast;
		}
	}

	/**
	 * Let the lock stay taken after the release. Called on the thread of the scope, like
	 * {@link #raiseMinHold}.
	 */
	void raiseCooldown(Duration atLeast) {
		if (atLeast.compareTo(this.cooldown) > 0) {
			this.cooldown = atLeast;
		}
	}

	/**
	 * Return how long the lock has to stay taken after a release now.
	 */
	Duration cooldown(long now) {
		Duration rest = this.minHold.minusNanos(now - this.acquiredAt);
		return (rest.compareTo(this.cooldown) > 0) ? rest : this.cooldown;
	}

	Duration heldFor(long now) {
		return Duration.ofNanos(now - this.acquiredAt);
	}

	ResolvedRequest request() {
		return this.request;
	}

	/**
	 * Return the queue that this lease is in the way of.
	 */
	KeyQueue queue() {
		return this.cohort.queue();
	}

	CohortGrant cohort() {
		return this.cohort;
	}

	LeaseLostException lostException() {
		LossReason reason = (this.lossReason != null) ? this.lossReason : LossReason.EXPIRED;
		String key = this.request.key();
		return new LeaseLostException(key, reason, "The lease on '" + key + "' (backend '" + this.parts.backend().name()
				+ "', ttl " + this.request.ttl().toMillis() + " ms) was lost before it was released: " + reason);
	}

	private RuntimeException notHeld() {
		return (this.state == State.RELEASED)
				? new IllegalStateException(LockKeys.printable("The lease on " + keys() + " was released"))
				: lostException();
	}

	@Override
	public String toString() {
		return LockKeys.printable("Lease" + keys() + "[token=" + this.token + ", " + this.state + "]");
	}

}
