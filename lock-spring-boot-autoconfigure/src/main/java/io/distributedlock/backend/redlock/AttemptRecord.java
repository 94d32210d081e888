package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
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
 * What this client remembers of one attempt, and of the lease that it ended in, until
 * nothing of it can be left at any node.
 */
final class AttemptRecord {

	/**
	 * How long a release may be unanswered before it is sent again.
	 */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final OwnerId ownerId;

	private final String key;

	private final String value;

	private final @Nullable Long tick;

	private final long ttlNanos;

	// Run whenever a request to let the lock go has ended.
	private final Queue<Runnable> releaseListeners = new ConcurrentLinkedQueue<>();

	private final List<NodeRequestState> requests = new ArrayList<>();

	// All below is guarded by the monitor.
	private State state = State.ASKING;

	private @Nullable TokenRange tokens;

	private long validUntil;

	private long endedAt;

	// Since when the releases that follow the end are with the connections, if they are.
	private @Nullable Long releasesSentAt;

	private boolean notifiesWaiters;

	private @Nullable Object reportedTo;

	// How many requests to let the lock go are under way.
	private int releasing;

	// Until when the lock cools down after the release, if it does.
	private @Nullable Long cooldownUntil;

	AttemptRecord(OwnerId ownerId, String key, String value, @Nullable Long tick, long ttlNanos, int nodes) {
		this.ownerId = ownerId;
		this.key = key;
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

	String key() {
		return this.key;
	}

	String value() {
		return this.value;
	}

	@Nullable Long tick() {
		return this.tick;
	}

	/**
	 * Take note that a node is about to be asked to keep the lock. The request follows,
	 * and {@link NodeRequestState#sent} after it.
	 * @return {@code false} if it is too late for that
	 */
	synchronized boolean beginRequest(int node, NodeSession session, long now) {
		if (this.state == State.ENDED) {
			return false;
		}
		this.requests.get(node).requested(session, now);
		return true;
	}

	/**
	 * Return what may be left at a node.
	 */
	NodeRequestState at(int node) {
		return this.requests.get(node);
	}

	/**
	 * The attempt has ended in a grant.
	 * @return {@code false} if it was abandoned meanwhile
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
	 * A renewal has lengthened the lease. Lost is final: an answer that comes after the
	 * end of the validity revives nothing.
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
	 * Return the lease, if it is held: an attempt that is made again is not granted
	 * twice.
	 */
	synchronized Optional<LeaseGrant> grant(LockTarget target, long now) {
		TokenRange range = this.tokens;
		return (range != null && isHeld(now))
				? Optional.of(new LeaseGrant(target, this.ownerId, range, this.validUntil)) : Optional.empty();
	}

	/**
	 * Return whether it has not ended in other tokens than these.
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
	 * The attempt ends without a grant, or its lease is released. All nodes that may keep
	 * the lock are to be asked after that to let it go.
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
	 * The attempt ends because nobody waits for it any longer.
	 * @return {@code false} if it has ended before, in a grant or without
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
	 * Take note that the releases that follow the end are with the connections.
	 */
	synchronized void releasesSent(long now) {
		if (this.releasesSentAt == null) {
			this.releasesSentAt = now;
		}
	}

	/**
	 * Return whether it was given back before a time, and no cooldown of it runs. Until
	 * then it is a holder: what is asked meanwhile may overtake the releases.
	 */
	synchronized boolean isLeftover(long before, long now) {
		return this.releasesSentAt != null && this.releasesSentAt - before < 0 && cooldownLeft(now) == 0;
	}

	/**
	 * The lock stays taken after the release of the lease. Each node that is asked to let
	 * it go, at once or later, keeps it for what is left of that: a node that learns of
	 * the release last must not be the one that ends it.
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
	 * Return how a node is to be asked to let the lock go. The tick of a lease was used;
	 * that of an attempt without a grant is given back.
	 */
	synchronized NodeSession.ReleaseRequest releaseRequest(long now) {
		return new NodeSession.ReleaseRequest(this.key, this.value,
				Duration.ofNanos(cooldownLeft(now)).plusNanos(999_999).toMillis(),
				(this.tokens != null) ? null : this.tick, this.notifiesWaiters);
	}

	/**
	 * Return whether a node may keep the lock though it was released: a vote for it that
	 * comes after the end needs no release of its own where the release at the end was
	 * sent behind the request, on the same connection. (If that is gone,
	 * {@link #needsRelease} says so.)
	 */
	synchronized boolean mayRemainAt(int node) {
		return this.state == State.ENDED && this.requests.get(node).isOvertaken();
	}

	/**
	 * Take note that a node is about to be asked to let the lock go.
	 */
	synchronized void beginRelease() {
		this.releasing++;
	}

	/**
	 * Take note that such a request has ended, and that its answer is recorded: the
	 * releases that count answers look again.
	 */
	void endRelease() {
		synchronized (this) {
			this.releasing--;
		}
		this.releaseListeners.forEach(Runnable::run);
	}

	/**
	 * Return whether more may become known of where the lease stood.
	 */
	synchronized boolean isReleasing() {
		return this.releasing > 0;
	}

	/**
	 * Run a task whenever a request to let the lock go has ended, until a future is
	 * completed.
	 */
	void lookUntilDone(CompletableFuture<?> done, Runnable look) {
		this.releaseListeners.add(look);
		done.whenComplete((result, fault) -> this.releaseListeners.remove(look));
	}

	/**
	 * Return whether a release is the one that reports that the lease stood. Of several
	 * releases only one does, the same one each time it asks.
	 */
	synchronized boolean isReportedTo(Object release) {
		if (this.reportedTo == null) {
			this.reportedTo = release;
		}
		return this.reportedTo == release;
	}

	/**
	 * Let another release report that: this one's outcome was unknown before.
	 */
	synchronized void withdrawReport(Object release) {
		if (this.reportedTo == release) {
			this.reportedTo = null;
		}
	}

	/**
	 * Return whether a node has to be asked once more to let the lock go.
	 */
	synchronized boolean needsRelease(int node, @Nullable NodeSession current, long now) {
		NodeRequestState requests = this.requests.get(node);
		return this.state == State.ENDED && (requests.needsRelease(current, now, this.ttlNanos)
				|| !requests.isSettled() && now - this.endedAt > PATIENCE_NANOS);
	}

	/**
	 * Return whether nothing of it can be left at any node.
	 */
	synchronized boolean isForgettable(long now) {
		if (this.state == State.HELD) {
			// Nobody has renewed or released it: it has run out everywhere.
			return now - this.validUntil > this.ttlNanos;
		}
		if (this.state != State.ENDED) {
			return false;
		}
		// What was sent on a connection that is still there comes before the releases.
		boolean late = now - this.endedAt > this.ttlNanos + PATIENCE_NANOS;
		return this.requests.stream().allMatch((requests) -> requests.isSettled() || late && !requests.isLost());
	}

	private enum State {

		/**
		 * Nodes are asked for their votes.
		 */
		ASKING,

		/**
		 * It has ended in a lease, which was not released.
		 */
		HELD,

		/**
		 * It has ended without a grant, or its lease was released.
		 */
		ENDED

	}

}
