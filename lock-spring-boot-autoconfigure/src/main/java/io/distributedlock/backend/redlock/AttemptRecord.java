package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

/**
 * Keeps what this client knows of one attempt and of the lease that it ended in, until no
 * node can have anything left of either.
 */
final class AttemptRecord {

	/**
	 * How long a release may be unanswered before it is sent again.
	 */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final OwnerId ownerId;

	private final LockTarget target;

	private final String value;

	private final @Nullable Long tick;

	private final long ttlNanos;

	// Run each time a release request has ended.
	private final Queue<Runnable> releaseListeners = new ConcurrentLinkedQueue<>();

	private final List<NodeRequestState> requests = new ArrayList<>();

	// All below is guarded by the monitor.
	private State state = State.ASKING;

	private @Nullable TokenRange tokens;

	private long validUntil;

	private long endedAt;

	// When the releases that follow the end were handed to the connections, if they were.
	private @Nullable Long releasesSentAt;

	private boolean notifiesWaiters;

	private @Nullable Object reportedTo;

	// The number of release requests under way.
	private int releasing;

	// Whether a node has reported that a waiter keeps new members out of the group.
	private boolean contended;

	// The end of the cooldown after the release, if there is one.
	private @Nullable Long cooldownUntil;

	AttemptRecord(OwnerId ownerId, LockTarget target, String value, @Nullable Long tick, long ttlNanos, int nodes) {
		this.ownerId = ownerId;
		this.target = target;
		this.value = value;
		this.tick = tick;
		this.ttlNanos = ttlNanos;
		for (int i = 0; i < nodes; i++) {
			this.requests.add(new NodeRequestState());
		}
	}

	OwnerId ownerId() {
		return this.ownerId;
	}

	LockTarget target() {
		return this.target;
	}

	/**
	 * Return the keys for a message, in which they stand between quotation marks.
	 */
	String keys() {
		return String.join("', '", this.target.keys());
	}

	String value() {
		return this.value;
	}

	@Nullable Long tick() {
		return this.tick;
	}

	/**
	 * Record that a node is about to be asked to keep the lock. The caller then sends the
	 * request and calls {@link NodeRequestState#sent}.
	 * @return {@code false} if the attempt or its lease has ended, so that the request
	 * must not be sent
	 */
	synchronized boolean beginRequest(int node, NodeSession session, long now) {
		if (this.state == State.ENDED) {
			return false;
		}
		this.requests.get(node).requested(session, now);
		return true;
	}

	/**
	 * Return what the attempt may have left at a node.
	 */
	NodeRequestState at(int node) {
		return this.requests.get(node);
	}

	/**
	 * Record that the attempt has ended in a grant.
	 * @return {@code false} if the attempt was no longer under way
	 */
	synchronized boolean markHeld(TokenRange range, long until) {
		if (this.state != State.ASKING) {
			return false;
		}
		this.state = State.HELD;
		this.tokens = range;
		this.validUntil = until;
		return true;
	}

	/**
	 * Extend the lease after a renewal. A loss is final: an answer that arrives after the
	 * end of the validity has no effect.
	 * @return whether the lease is held
	 */
	synchronized boolean extend(long until, long now) {
		if (!isHeld(now)) {
			return false;
		}
		if (until - this.validUntil > 0) {
			this.validUntil = until;
		}
		return true;
	}

	/**
	 * Return the lease if it is held. A repeated attempt returns it instead of being
	 * granted twice.
	 */
	synchronized Optional<LeaseGrant> grant(long now) {
		TokenRange range = this.tokens;
		return (range != null && isHeld(now)) ? Optional.of(grant(range, this.validUntil)) : Optional.empty();
	}

	/**
	 * Return the grant with these tokens for each key.
	 */
	LeaseGrant grant(TokenRange range, long until) {
		return new LeaseGrant(this.target, this.ownerId, Collections.nCopies(this.target.keys().size(), range), until);
	}

	/**
	 * Return whether these may be the tokens of the lease. That is not so only if the
	 * attempt was granted others.
	 */
	synchronized boolean matches(TokenRange range) {
		return this.tokens == null || this.tokens.equals(range);
	}

	/**
	 * Return whether the lease is held at a time.
	 */
	synchronized boolean isHeld(long now) {
		return this.state == State.HELD && this.validUntil - now > 0;
	}

	/**
	 * End the attempt without a grant, or end its lease. Afterwards the caller must
	 * release the lock at all nodes that may keep it.
	 * @param notifyWaiters whether waiters are notified
	 */
	synchronized void end(boolean notifyWaiters, long now) {
		if (this.state != State.ENDED) {
			this.state = State.ENDED;
			this.endedAt = now;
			this.notifiesWaiters = notifyWaiters;
			this.requests.forEach(NodeRequestState::ended);
		}
	}

	/**
	 * End the attempt because its timeout is over.
	 * @return {@code false} if it has ended before, with or without a grant
	 */
	synchronized boolean expire(long now) {
		boolean expires = this.state == State.ASKING;
		if (expires) {
			end(true, now);
		}
		return expires;
	}

	synchronized boolean isEnded() {
		return this.state == State.ENDED;
	}

	/**
	 * Record that the releases that follow the end were handed to the connections.
	 */
	synchronized void releasesSent(long now) {
		if (this.releasesSentAt == null) {
			this.releasesSentAt = now;
		}
	}

	/**
	 * Return whether its releases were sent before a given time and no cooldown of it is
	 * running. Until then it counts as a holder, since requests may overtake the
	 * releases.
	 */
	synchronized boolean isLeftover(long before, long now) {
		return this.releasesSentAt != null && this.releasesSentAt - before < 0 && cooldownLeft(now) == 0;
	}

	/**
	 * Keep the lock taken for a cooldown after the release of the lease. Each node that
	 * receives a release, at once or later, keeps the lock for the rest of the cooldown.
	 * So a node that receives it late does not prolong the cooldown.
	 */
	synchronized void coolDown(Duration cooldown, long now) {
		long until = now + cooldown.toNanos();
		if (!cooldown.isZero() && (this.cooldownUntil == null || until - this.cooldownUntil > 0)) {
			this.cooldownUntil = until;
		}
	}

	private long cooldownLeft(long now) {
		return (this.cooldownUntil != null) ? Math.max(0, this.cooldownUntil - now) : 0;
	}

	/**
	 * Return the request that releases the lock at a node. The tick of a lease was used;
	 * that of an attempt without a grant is withdrawn.
	 */
	synchronized NodeSession.ReleaseRequest releaseRequest(long now) {
		return new NodeSession.ReleaseRequest(this.target.keys(), this.value,
				Duration.ofNanos(cooldownLeft(now)).plusNanos(999_999).toMillis(),
				(this.tokens != null) ? null : this.tick, this.notifiesWaiters);
	}

	/**
	 * Return whether a node may still keep the lock although it was released. A vote that
	 * arrives after the end needs no release of its own if the release at the end was
	 * sent after the request on the same connection. (If that connection is gone,
	 * {@link #needsRelease} covers it.)
	 */
	synchronized boolean mayRemainAt(int node) {
		return this.state == State.ENDED && this.requests.get(node).isOvertaken();
	}

	/**
	 * Record that a node is about to be asked to release the lock.
	 */
	synchronized void beginRelease() {
		this.releasing++;
	}

	/**
	 * Record that a release request has ended and that its answer is recorded. Releases
	 * that count answers then count again.
	 */
	void endRelease() {
		synchronized (this) {
			this.releasing--;
		}
		this.releaseListeners.forEach(Runnable::run);
	}

	/**
	 * Record that a waiter keeps new members out of the group that the lease was in.
	 */
	synchronized void markContended() {
		this.contended = true;
	}

	synchronized boolean isContended() {
		return this.contended;
	}

	/**
	 * Return whether releases are under way. Their answers may still show at which nodes
	 * the lease stood.
	 */
	synchronized boolean isReleasing() {
		return this.releasing > 0;
	}

	/**
	 * Run a task each time a release request has ended, until a future is completed.
	 */
	void lookUntilDone(CompletableFuture<?> done, Runnable look) {
		this.releaseListeners.add(look);
		done.whenComplete((result, fault) -> this.releaseListeners.remove(look));
	}

	/**
	 * Return whether a release is the one that reports that the lease stood. Only one of
	 * several releases does: the first one that asks, until it withdraws.
	 */
	synchronized boolean isReportedTo(Object release) {
		if (this.reportedTo == null) {
			this.reportedTo = release;
		}
		return this.reportedTo == release;
	}

	/**
	 * Let another release report it, because this one has already ended with an unknown
	 * outcome.
	 */
	synchronized void withdrawReport(Object release) {
		if (this.reportedTo == release) {
			this.reportedTo = null;
		}
	}

	/**
	 * Return whether the lock has to be released at a node once more.
	 */
	synchronized boolean needsRelease(int node, @Nullable NodeSession current, long now) {
		NodeRequestState requests = this.requests.get(node);
		return this.state == State.ENDED && (requests.needsRelease(current, now, this.ttlNanos)
				|| !requests.isSettled() && now - this.endedAt > PATIENCE_NANOS);
	}

	/**
	 * Return whether no node can have anything left of it.
	 */
	synchronized boolean isForgettable(long now) {
		if (this.state == State.HELD) {
			// It was neither renewed nor released, and has expired at all nodes.
			return now - this.validUntil > this.ttlNanos;
		}
		if (this.state != State.ENDED) {
			return false;
		}
		// Requests on a connection that is still open are executed before the releases.
		boolean late = now - this.endedAt > this.ttlNanos + PATIENCE_NANOS;
		for (NodeRequestState request : this.requests) {
			if (!request.isSettled() && (!late || request.isLost())) {
				return false;
			}
		}
		return true;
	}

	private enum State {

		/**
		 * Nodes are asked for their votes.
		 */
		ASKING,

		/**
		 * It has ended in a lease that was not released.
		 */
		HELD,

		/**
		 * It has ended without a grant, or its lease was released.
		 */
		ENDED

	}

}
