package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;

/**
 * One grant of the store, whose tokens the holders in this JVM use one after the other.
 */
final class CohortGrant {

	/**
	 * The longest time for which the word of the store counts for a hand-over.
	 */
	static final Duration LONGEST_WINDOW = Duration.ofMillis(100);

	private static final Duration SHORTEST_WINDOW = Duration.ofMillis(25);

	private final KeyQueue queue;

	private final LeaseGrant grant;

	private final Duration ttl;

	private final long roundTrip;

	private final long grantedAt;

	private final long window;

	// When the latest request was sent that the store has answered with "yours". Written
	// by answers without a lock: of two at once the earlier may win, which only makes
	// the store's word seem older than it is.
	private volatile ClockReading confirmed;

	private volatile long handedOverAt;

	private volatile boolean over;

	// Written by renewals without a lock: of two at once the earlier may win, which only
	// makes the grant seem shorter than it is.
	private volatile long validUntil;

	// This field and those below are guarded by the monitor of the key's queue.
	private int handOvers;

	private boolean contended;

	private boolean handOverAllowed = true;

	private long polledAt;

	/**
	 * Create it from a grant of the store.
	 * @param queue the queue that has got the grant
	 * @param grant the grant
	 * @param ttl the ttl that was asked for
	 * @param sentAt the moment before it was asked for
	 * @param grantedAt when it came, by the monotonic clock
	 * @param kind what keeps the lease at its store
	 */
	CohortGrant(KeyQueue queue, LeaseGrant grant, Duration ttl, ClockReading sentAt, long grantedAt, LeaseKind kind) {
		this.queue = queue;
		this.grant = grant;
		this.ttl = ttl;
		this.confirmed = sentAt;
		this.roundTrip = grantedAt - sentAt.nanoTime();
		this.grantedAt = grantedAt;
		this.window = window(kind, this.roundTrip);
		this.validUntil = grant.validUntil();
	}

	/**
	 * Return for how long the word of the store counts: three round trips, within bounds.
	 * A store with sessions is asked less often, since that may take a write there.
	 */
	private static long window(LeaseKind kind, long roundTrip) {
		long most = LONGEST_WINDOW.toNanos();
		long wanted = (kind == LeaseKind.PER_SESSION) ? most : 3 * roundTrip;
		return Math.max(SHORTEST_WINDOW.toNanos(), Math.min(wanted, most));
	}

	KeyQueue queue() {
		return this.queue;
	}

	LeaseGrant grant() {
		return this.grant;
	}

	/**
	 * Take the store's word that the lease stands.
	 * @param sentAt the moment before the store was asked
	 * @param until when the validity ends by that
	 */
	void confirmed(ClockReading sentAt, long until) {
		// On a machine that stood still what was known before counts no more.
		if (until - this.validUntil > 0 || this.confirmed.stoodStill(sentAt, this.ttl)) {
			this.validUntil = until;
		}
		if (sentAt.nanoTime() - this.confirmed.nanoTime() > 0) {
			this.confirmed = sentAt;
		}
	}

	/**
	 * Return how long after a hand-over, and after a question, the store is asked.
	 */
	Duration questionInterval() {
		return Duration.ofNanos(this.window / 5);
	}

	/**
	 * Return whether the store has confirmed the lease since it was handed over last.
	 */
	boolean isConfirmed() {
		return this.confirmed.nanoTime() - this.handedOverAt >= 0;
	}

	/**
	 * Return the token of the present holder.
	 */
	long token() {
		return this.grant.token().first() + this.handOvers;
	}

	/**
	 * Return whether the next holder may have the lock without asking the store: within
	 * the bounds, with at least half of its ttl left before it has to be renewed, on a
	 * machine that did not stand still since the store was asked, and if the store's last
	 * word that the lease stands was asked for within the window.
	 */
	boolean canHandOverTo(ResolvedRequest next, HandOverSettings bounds, ClockReading now) {
		return next.canTakeOver() && this.handOverAllowed && !isSpent(bounds, now.nanoTime())
				&& now.nanoTime() - this.confirmed.nanoTime() < this.window
				&& !this.confirmed.stoodStill(now, next.ttl())
				&& this.validUntil - now.nanoTime() - next.ttl().toNanos() / 2 >= 0 && sessionLeft(now.nanoTime()) > 0;
	}

	/**
	 * Keep the lease from being handed over any more.
	 */
	void stopHandOver() {
		this.handOverAllowed = false;
	}

	/**
	 * Take note that the last holder's lease has ended.
	 */
	void end() {
		this.over = true;
	}

	boolean isOver() {
		return this.over;
	}

	/**
	 * Return what is left of the validity of the session on which this grant depends.
	 */
	long sessionLeft(long now) {
		return this.grant.session().nanosLeft(now);
	}

	/**
	 * Take note that another JVM waits.
	 * @param pollsAt when it asks the store again by itself, at the latest
	 */
	void contended(long pollsAt) {
		this.contended = true;
		this.polledAt = pollsAt;
	}

	/**
	 * Return whether others have to get their turn: another JVM is known to wait, or may
	 * wait for all that is known and the hand-overs have come to their bounds.
	 */
	boolean mustYield(HandOverSettings bounds, long now) {
		return this.contended || (this.handOvers > 0 && isSpent(bounds, now));
	}

	/**
	 * Return whether another JVM waits, the bounds are reached, or the tokens used up.
	 */
	boolean isSpent(HandOverSettings bounds, long now) {
		return this.contended || isOutOfTokens() || this.handOvers >= bounds.maxCount()
				|| now - this.grantedAt - bounds.maxDuration().toNanos() >= 0;
	}

	boolean isOutOfTokens() {
		return this.handOvers + 1 >= this.grant.token().count();
	}

	/**
	 * Hand over to the next holder, with the next token.
	 * @param now the monotonic clock
	 */
	void handOver(long now) {
		this.handOvers++;
		this.handedOverAt = now;
	}

	int handOvers() {
		return this.handOvers;
	}

	/**
	 * Return the end of validity of a lease on this grant that begins now.
	 */
	long validUntil(ResolvedRequest request, long now) {
		long own = LockClock.validUntil(now, request.ttl());
		return (own - this.validUntil < 0) ? own : this.validUntil;
	}

	/**
	 * Return how long to stay away from the store after it got the lock back, so that
	 * other JVMs reach it first: four round trips, at least 5 ms, and up to a quarter
	 * more at random, but hardly longer than leases may be handed over, since the one
	 * round trip that is known may have had to connect first. Where another JVM is known
	 * to wait, nothing is lost by leaving it twice as long, counted from when it asks
	 * again.
	 */
	Duration yieldDelay(HandOverSettings bounds, long now) {
		long roundTrips = Math.min(4 * this.roundTrip, bounds.maxDuration().toNanos());
		long least = Math.max(roundTrips, TimeUnit.MILLISECONDS.toNanos(5));
		long jitter = ThreadLocalRandom.current().nextLong(least / 4);
		return Duration
			.ofNanos(this.contended ? Math.max(0, this.polledAt - now) + 2 * least + jitter : least + jitter);
	}

}
