package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.TokenRange;

/**
 * One grant of the store, which the holders in this JVM use, each with its own token:
 * those of an exclusive grant one after the other, and readers at the same time.
 */
final class CohortGrant {

	/**
	 * The longest time for which a confirmation by the store allows a hand-over.
	 */
	static final Duration LONGEST_WINDOW = Duration.ofMillis(100);

	private static final Duration SHORTEST_WINDOW = Duration.ofMillis(25);

	private final KeyQueue queue;

	private final LeaseGrant grant;

	private final Duration ttl;

	private final long roundTrip;

	private final long grantedAt;

	private final long window;

	// How many holders the token ranges of all keys suffice for.
	private final int tokens;

	// The send time of the latest request by which the store has confirmed the lease.
	// Written by answers without a lock: if two race, the earlier may win, which only
	// makes the confirmation seem older than it is.
	private volatile ClockReading confirmed;

	private volatile long handedOverAt;

	private volatile boolean over;

	// Written by HandOverChecks, under its monitor.
	private volatile boolean questioned;

	// Written by renewals without a lock: if two race, the earlier may win, which only
	// makes the grant seem shorter than it is.
	private volatile long validUntil;

	// This field and those below are guarded by the monitor of the key's queue.
	private int handOvers;

	private boolean contended;

	private boolean handOverAllowed = true;

	// How many members of a group use the grant now.
	private int users;

	// Until when members that have left want the key to stay taken. Read by the last one
	// after it has left, without the monitor.
	private long takenUntil;

	private long polledAt;

	/**
	 * Create a cohort for a grant of the store.
	 * @param queue the queue that received the grant
	 * @param grant the grant
	 * @param ttl the requested TTL
	 * @param sentAt the moment before the request was sent
	 * @param grantedAt when the grant arrived, by the monotonic clock
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
		this.takenUntil = grantedAt;
		this.tokens = tokens(grant);
	}

	private static int tokens(LeaseGrant grant) {
		return (grant.tokens().size() == 1) ? grant.token().count()
				: grant.tokens().stream().mapToInt(TokenRange::count).min().orElse(1);
	}

	/**
	 * Return for how long a confirmation by the store allows a hand-over: three round
	 * trips, within bounds. A store with sessions is asked less often, because a question
	 * may be a write there.
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
	 * Process the store's confirmation of the lease.
	 * @param sentAt the moment before the store was asked
	 * @param until the end of the confirmed validity
	 */
	void confirmed(ClockReading sentAt, long until) {
		// If the machine stood still, the previous validity no longer counts.
		if (until - this.validUntil > 0 || this.confirmed.stoodStill(sentAt, this.ttl)) {
			this.validUntil = until;
		}
		if (sentAt.nanoTime() - this.confirmed.nanoTime() > 0) {
			this.confirmed = sentAt;
		}
	}

	/**
	 * Return the time from a hand-over, and from a question, to the next question.
	 */
	Duration questionInterval() {
		return Duration.ofNanos(this.window / 5);
	}

	/**
	 * Return whether the store has confirmed the lease since its last hand-over.
	 */
	boolean isConfirmed() {
		return this.confirmed.nanoTime() - this.handedOverAt >= 0;
	}

	/**
	 * Return whether a question to the store is due or under way.
	 */
	boolean isQuestioned() {
		return this.questioned;
	}

	void questioned(boolean questioned) {
		this.questioned = questioned;
	}

	/**
	 * Return whether the next holder may have the lock without asking the store. The
	 * hand-overs have to be within their bounds, and at least half of the next TTL has to
	 * be left of the validity. The store's last confirmation has to have been requested
	 * within the window, and the machine must not have stood still since.
	 */
	boolean canHandOverTo(ResolvedRequest next, HandOverSettings bounds, ClockReading now) {
		return next.canTakeOver() && this.handOverAllowed && !isSpent(bounds, now.nanoTime())
				&& now.nanoTime() - this.confirmed.nanoTime() < this.window
				&& !this.confirmed.stoodStill(now, next.ttl())
				&& this.validUntil - now.nanoTime() - next.ttl().toNanos() / 2 >= 0 && sessionLeft(now.nanoTime()) > 0;
	}

	/**
	 * Prevent further hand-overs of the lease.
	 */
	void stopHandOver() {
		this.handOverAllowed = false;
	}

	/**
	 * Called when the last holder's lease has ended.
	 */
	void end() {
		this.over = true;
	}

	boolean isOver() {
		return this.over;
	}

	/**
	 * Return the remaining validity of the session on which this grant depends.
	 */
	long sessionLeft(long now) {
		return this.grant.session().nanosLeft(now);
	}

	/**
	 * Called when another JVM waits.
	 * @param pollsAt when the other JVM polls the store again, at the latest
	 */
	void contended(long pollsAt) {
		this.contended = true;
		this.polledAt = pollsAt;
	}

	/**
	 * Return whether other JVMs have to get their turn: one is known to wait, or the
	 * hand-overs have reached their bounds and one may be waiting unnoticed.
	 */
	boolean mustYield(HandOverSettings bounds, long now) {
		return this.contended || (this.handOvers > 0 && isSpent(bounds, now));
	}

	/**
	 * Return whether another JVM waits, the bounds are reached, or the tokens are used
	 * up.
	 */
	boolean isSpent(HandOverSettings bounds, long now) {
		return this.contended || isOutOfTokens() || this.handOvers >= bounds.maxCount()
				|| now - this.grantedAt - bounds.maxDuration().toNanos() >= 0;
	}

	boolean isOutOfTokens() {
		return this.handOvers + 1 >= this.tokens;
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
	 * Called when a member of a group begins to use this grant.
	 */
	void enter() {
		this.users++;
	}

	/**
	 * Called when a member of a group no longer uses this grant.
	 * @return how many others use it
	 */
	int leave() {
		return --this.users;
	}

	/**
	 * Keep the key taken after the release of this grant.
	 * @param until until when, at least, by the monotonic clock
	 */
	void keepTaken(long until) {
		if (until - this.takenUntil > 0) {
			this.takenUntil = until;
		}
	}

	/**
	 * Return how long the key has to stay taken after a release of this grant now,
	 * because of members that have left it.
	 */
	Duration cooldown(long now) {
		return Duration.ofNanos(Math.max(0, this.takenUntil - now));
	}

	/**
	 * Return the end of validity of a lease on this grant that begins now.
	 */
	long validUntil(ResolvedRequest request, long now) {
		long own = LockClock.validUntil(now, request.ttl());
		return (own - this.validUntil < 0) ? own : this.validUntil;
	}

	/**
	 * Return how long this JVM pauses after giving the lock back to the store, so that
	 * other JVMs reach it first. The pause is four round trips, but at most as long as
	 * leases may be handed over, because the one measured round trip may include the time
	 * to connect. It is at least 5 ms, with up to a quarter more at random. If another
	 * JVM is known to wait, a pause that is about twice as long costs nothing; it is
	 * counted from when that JVM polls again.
	 */
	Duration yieldDelay(HandOverSettings bounds, long now) {
		long roundTrips = Math.min(4 * this.roundTrip, bounds.maxDuration().toNanos());
		long least = Math.max(roundTrips, TimeUnit.MILLISECONDS.toNanos(5));
		long jitter = ThreadLocalRandom.current().nextLong(least / 4);
		return Duration
			.ofNanos(this.contended ? Math.max(0, this.polledAt - now) + 2 * least + jitter : least + jitter);
	}

}
