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
import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.ExtensionBounds;
import io.distributedlock.spi.HeldLease;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A lease of the engine: the state machine HELD → RELEASED or LOST, and the deadline
 * after which a held lease is lost.
 * <p>
 * Transitions and the deadline are guarded by this object's monitor; no foreign code is
 * called while it is held. Reads need no lock: a state other than HELD never changes, and
 * a deadline that has passed is never moved. A lease that was once seen as not held
 * therefore stays so, except for a suspected lease, see {@link #suspect}.
 */
final class DefaultLease implements ManagedLease {

	private enum State {

		HELD, RELEASED, LOST

	}

	private final EngineParts parts;

	private final ResolvedRequest request;

	private final CohortGrant cohort;

	// How many leases have used the grant before. Each takes the next token of each key.
	private final int place;

	private final long acquiredAt;

	// Replaced by each addition, since nearly all leases have none.
	private List<Consumer<? super Lease>> lossListeners = List.of();

	private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	private volatile State state = State.HELD;

	private final LeaseDeadline deadline;

	private final RenewalSchedule schedule;

	// Whether no caller has this lease, although it is held.
	private volatile boolean disowned;

	private volatile boolean renewed;

	private volatile Duration minHold;

	private volatile Duration cooldown = Duration.ZERO;

	private volatile @Nullable LossReason lossReason;

	// Absent unless there are limits or an observer.
	private volatile @Nullable LeaseTracking tracking;

	// The lease on several keys that this one is a part of, if any, once it is complete.
	private volatile @Nullable CombinedLease whole;

	// When this lease was released or lost; written before the state.
	private volatile long endedAt;

	DefaultLease(EngineParts parts, ResolvedRequest request, CohortGrant cohort, long now, long validUntil) {
		this.parts = parts;
		this.request = request;
		this.cohort = cohort;
		this.place = cohort.handOvers();
		this.acquiredAt = now;
		Duration maxHold = request.maxHold();
		Duration longest = (maxHold != null && !request.isPart()) ? maxHold : ResolvedRequest.WITHOUT_LIMIT;
		long holdUntil = now + longest.toNanos();
		this.deadline = new LeaseDeadline(cohort, holdUntil, validUntil);
		this.schedule = new RenewalSchedule(request, now);
		this.minHold = request.minHold();
		this.renewed = request.lockRequest().isRenewed() || request.isPart();
	}

	/**
	 * Become a part of a lease on several keys. Until then its acquisition has kept this
	 * lease. Its holder has it from now on, so the times of the request begin.
	 * @param whole the lease on all keys
	 */
	void joinWhole(CombinedLease whole) {
		long now = this.parts.now();
		Duration maxHold = this.request.maxHold();
		this.whole = whole;
		if (maxHold != null) {
			synchronized (this) {
				this.deadline.limitHold(now + maxHold.toNanos());
			}
		}
		if (!this.request.lockRequest().isRenewed()) {
			stopRenewal();
		}
	}

	/**
	 * Return whether a caller has this lease. An acquisition that waits for other keys is
	 * none.
	 */
	boolean hasHolder() {
		return !this.request.isPart() || this.whole != null;
	}

	/**
	 * Return the lease that listeners see when this one is renewed: the whole lease, if
	 * this is its first part.
	 * @return the lease, or {@code null} if listeners see none
	 */
	@Nullable Lease reported() {
		if (!this.request.isPart()) {
			return this;
		}
		CombinedLease combined = this.whole;
		return (combined != null && combined.startsWith(this)) ? combined : null;
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
		int index = keys().indexOf(key);
		if (index < 0) {
			throw new IllegalArgumentException(
					LockKeys.printable("This lease is on " + keys() + ", not on '" + key + "'"));
		}
		return token(index);
	}

	private long token(int index) {
		return this.cohort.grant().tokens().get(index).first() + this.place;
	}

	@Override
	public boolean isHeld() {
		return this.state == State.HELD && !this.deadline.isSuspected()
				&& this.deadline.nanosLeft(this.parts.now()) > 0;
	}

	@Override
	public LockMode mode() {
		return this.request.mode();
	}

	/**
	 * Return whether a body may begin on this lease. It has to be held, with at least a
	 * tenth of its TTL left, so that it does not expire while the body is about to begin.
	 */
	@Override
	public boolean canBegin() {
		long least = this.request.ttl().toNanos() / 10;
		return isHeld() && this.deadline.nanosConfirmed(this.parts.now()) >= least;
	}

	@Override
	public Duration remaining() {
		return isHeld() ? Duration.ofNanos(Math.max(0, this.deadline.nanosLeft(this.parts.now()))) : Duration.ZERO;
	}

	@Override
	public void verify() {
		this.parts.confirmation().confirm(this, Duration.ZERO);
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
		this.parts.confirmation().confirm(this, LockClock.ttlFor(atLeast));
	}

	@Override
	public void onLost(Consumer<? super Lease> listener) {
		synchronized (this) {
			if (this.state == State.HELD) {
				List<Consumer<? super Lease>> more = new ArrayList<>(this.lossListeners);
				more.add(listener);
				this.lossListeners = more;
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
		LeaseTracking tracked = this.tracking;
		if (tracked == null) {
			return releaseAndWait();
		}
		tracked.endByHolder();
		try {
			return releaseAndWait();
		}
		finally {
			tracked.end(this.lossReason);
		}
	}

	private boolean releaseAndWait() {
		end(request().callTimeout());
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
	@Override
	public CompletableFuture<Boolean> end() {
		return end(Duration.ZERO);
	}

	/**
	 * Release this lease, unless it has ended before.
	 * @param patience how long the store may block the calling thread
	 * @return completed by {@link #settle} or by the loss
	 */
	private CompletableFuture<Boolean> end(Duration patience) {
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
			this.parts.lifecycle().release(this, patience);
		}
		return this.ended;
	}

	/**
	 * Take a place among the limits, which is freed at the end.
	 * @param slot the place, or {@code null} if there are no limits
	 */
	void occupy(LockLimits.@Nullable Slot slot) {
		if (slot != null) {
			this.tracking = new LeaseTracking(slot);
		}
	}

	void freeSlot() {
		LeaseTracking tracked = this.tracking;
		if (tracked != null) {
			tracked.freeSlot();
		}
	}

	@Override
	public void observe(LockObserver.Hold hold) {
		if (hold == LockObserver.Hold.NONE) {
			return;
		}
		LeaseTracking tracked = this.tracking;
		if (tracked == null) {
			tracked = new LeaseTracking(null);
			this.tracking = tracked;
		}
		tracked.observe(this.ended, hold, this.parts.threads(), this::lossReason);
	}

	@Override
	public LockObserver.BodyScope openScope() {
		LeaseTracking tracked = this.tracking;
		return (tracked != null) ? tracked.openScope() : LockObserver.BodyScope.NONE;
	}

	@Nullable LossReason lossReason() {
		return this.lossReason;
	}

	/**
	 * Describe this lease for metrics and administration.
	 */
	HeldLease describe(long now) {
		Duration heldFor = heldFor(now);
		Duration remaining = Duration.ofNanos(Math.max(0, this.deadline.nanosLeft(now)));
		Duration sinceConfirmation = this.request.ttl().minusNanos(this.deadline.nanosConfirmed(now));
		boolean confirmedSince = isRenewed() && sinceConfirmation.compareTo(heldFor) < 0;
		return new HeldLease(keys(), this.request.lockRequest().getName(), mode(), token(0), this.request.ttl(),
				heldFor, remaining, confirmedSince ? positive(sinceConfirmation) : null, handOvers());
	}

	private static Duration positive(Duration time) {
		return time.isNegative() ? Duration.ZERO : time;
	}

	/**
	 * Return how many leases of this JVM have used the grant before this one.
	 */
	int handOvers() {
		return this.place;
	}

	@Override
	public boolean isHandedOver() {
		return this.place > 0;
	}

	/**
	 * Return a future that is completed when this lease has ended for any reason.
	 */
	CompletableFuture<Boolean> ended() {
		return this.ended;
	}

	@Override
	public void disown() {
		this.disowned = true;
	}

	boolean isDisowned() {
		return this.disowned;
	}

	@Override
	public void stopRenewal() {
		this.renewed = false;
	}

	/**
	 * Complete the release with the store's answer, or without one.
	 * @param stood whether the lease still existed at the store
	 * @return {@code false} if the release was completed before
	 */
	boolean settle(boolean stood) {
		if (!stood && !this.ended.isDone()) {
			this.lossReason = LossReason.TAKEN;
		}
		return this.ended.complete(stood);
	}

	/**
	 * Complete the release that the store refuses permanently. The lease was not lost,
	 * but the lock stays taken for as long as the store keeps it.
	 * @return {@code false} if the release was completed before
	 */
	boolean settleRefused() {
		return this.ended.complete(false);
	}

	@Override
	public boolean isLost() {
		return this.lossReason != null;
	}

	/**
	 * Return whether the store's answer to the release is far too late.
	 */
	boolean isReleaseOverdue(long now) {
		return this.state == State.RELEASED && now - this.endedAt > this.request.silenceLimit().toNanos();
	}

	/**
	 * Stop waiting for the answer to the release.
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
			listeners = this.lossListeners;
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
	 * Count this lease as not held until the store has confirmed it, because this machine
	 * may have stood still for a time that the monotonic clock did not count. If the
	 * store can't confirm or deny it, the deadline is earlier by that time.
	 */
	synchronized void suspect(long nanosGained) {
		this.deadline.suspect(nanosGained, this.parts.now());
	}

	/**
	 * Begin a renewal if one is due.
	 * @return the renewal to send, or {@code null} if none is due
	 */
	@Nullable Renewal beginRenewal(long now) {
		return isRenewalWanted(now) ? beginRenewalIfWanted(now) : null;
	}

	/**
	 * Return whether a renewal is due. Most leases are asked in vain, so without the
	 * monitor at first.
	 */
	private boolean isRenewalWanted(long now) {
		return (isRenewed() && this.schedule.isDue(now)) || this.deadline.isSuspected();
	}

	private synchronized @Nullable Renewal beginRenewalIfWanted(long now) {
		return beginRenewal(now, isRenewalWanted(now));
	}

	/**
	 * Return whether a renewal is not due yet, but soon, and none is under way.
	 */
	boolean isRenewalNear(long now) {
		return isRenewed() && this.state == State.HELD && this.schedule.isNear(now) && !this.schedule.isUnderWay();
	}

	/**
	 * Begin a renewal that is not due yet, to send it together with others.
	 * @return the renewal to send, or {@code null} if it is too early, or one is under
	 * way
	 */
	synchronized @Nullable Renewal beginEarlyRenewal(long now) {
		return beginRenewal(now, isRenewed() && this.schedule.isNear(now));
	}

	private @Nullable Renewal beginRenewal(long now, boolean wanted) {
		if (!wanted || this.state != State.HELD || this.schedule.isAwaitingAnswer(now)) {
			return null;
		}
		this.schedule.begin(now);
		return renewal(isRenewed() ? this.request.ttl() : Duration.ZERO, now);
	}

	/**
	 * Return the renewal to send. A suspected lease is also to be kept for its apparent
	 * remaining time. Only then is the remaining time known again after the answer.
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
	 * Process the outcome of a renewal. A suspected lease is confirmed only by the answer
	 * to a renewal that was sent after the suspicion arose.
	 * @param sentAt the moment before the renewal was sent
	 */
	void onRenewal(RenewalOutcome outcome, ClockReading sentAt) {
		boolean counts = this.deadline.counts(sentAt);
		if (outcome instanceof RenewalOutcome.Lost) {
			lose(LossReason.TAKEN);
			// Others may use the same grant.
			queue().holder().taken(this.cohort);
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
	 * Process the store's confirmation of this lease. It counts only before the previous
	 * deadline: a lease that is past its deadline is lost for good.
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
	 * Return when the watchdog has to check this lease next. A renewal that ends at the
	 * same time asks again.
	 */
	long nextEvent() {
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

	@Override
	public void raiseMinHold(Duration atLeast) {
		if (atLeast.compareTo(this.minHold) > 0) {
			this.minHold = atLeast;
		}
	}

	@Override
	public void raiseCooldown(Duration atLeast) {
		if (atLeast.compareTo(this.cooldown) <= 0) {
			return;
		}
		if (this.request.target().isGroup()) {
			throw new IllegalStateException(LockKeys.printable("The lock on " + keys() + " is held "
					+ this.request.mode() + ", so it can't" + " be kept from all others after its release"));
		}
		this.cooldown = atLeast;
	}

	/**
	 * Return how long the lock has to stay taken after a release at this moment, because
	 * of this lease or of others that have used the same grant.
	 */
	Duration cooldown(long now) {
		Duration others = this.cohort.cooldown(now);
		Duration own = ownCooldown(now);
		return (own.compareTo(others) > 0) ? own : others;
	}

	private Duration ownCooldown(long now) {
		if (this.minHold.isZero()) {
			return this.cooldown;
		}
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

	@Override
	public LeaseLostException lostException() {
		LossReason reason = (this.lossReason != null) ? this.lossReason : LossReason.EXPIRED;
		String key = this.request.key();
		return new LeaseLostException(key, reason, "The lease on '" + key + "' (backend '" + this.parts.backend().name()
				+ "', ttl " + this.request.ttl().toMillis() + " ms) was lost before it was released: " + reason);
	}

	/**
	 * Return the exception for a caller that needs this lease to be held.
	 */
	RuntimeException notHeld() {
		return (this.state == State.RELEASED)
				? new IllegalStateException(LockKeys.printable("The lease on " + keys() + " was released"))
				: lostException();
	}

	@Override
	public String toString() {
		return LockKeys.printable("Lease" + keys() + "[token=" + token(0) + ", " + this.state + "]");
	}

}
