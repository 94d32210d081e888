package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.TokenRange;

/**
 * Makes one attempt. It is a round, and another one under the same owner id if a majority
 * keeps the lock but has seen greater tokens than were proposed. While a node keeps an
 * exclusive lock for the attempt, no other client raises the counter there. So each round
 * makes one more counter known for good, and there are at most as many rounds as nodes
 * and one more. Mostly there is one. In a group, other members raise the counters
 * meanwhile, and an attempt whose tokens were always too low is busy.
 * <p>
 * The client proposes the tokens, and a node acknowledges only tokens above its counter.
 * Two grants of a key have a node in common that acknowledged both. So their ranges are
 * disjoint, and in the order in which that node acknowledged them. No clock takes part in
 * that; a bad clock costs a second round.
 * <p>
 * For several keys, the same tokens are proposed for each of them, above all counters
 * that are known. So an attempt has one proposal, and a node one counter to name: the
 * greatest.
 */
final class RedlockAttempt {

	/**
	 * By how much tokens may be ahead of the nodes' time. Beyond that, only one token at
	 * a time is requested, so that tokens do not outrun time for good.
	 */
	private static final long AHEAD_MICROS = TimeUnit.SECONDS.toMicros(1);

	/**
	 * By how much at most the next proposal for a group is above what is known, so that
	 * attempts at the same time do not propose the same again.
	 */
	private static final long HEADROOM_MICROS = 1_000;

	private static final int MOST_TOKENS = 1024;

	/**
	 * Further rounds follow only while all counters that were named are below this value.
	 */
	private static final long MOST_TOKEN = NodeState.LARGEST_TOKEN - 2 * AHEAD_MICROS;

	/**
	 * By how much a tick may be ahead of the nodes' time. A restarted node can't report
	 * ticks of any key up to the greatest tick that any key had before. So one tick of
	 * next year would keep it from voting for all other ticks until then.
	 */
	private static final Duration MOST_TICK_AHEAD = Duration.ofDays(1);

	private final NodeGroup nodes;

	private final OutstandingAttempts outstanding;

	private final LockTarget target;

	private final AttemptRecord record;

	private final LeaseRequest request;

	private final long deadline;

	private final BiFunction<VoteCount, Duration, CompletionStage<AttemptOutcome>> busy;

	private final CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();

	/**
	 * Create an attempt. Its timeout begins now.
	 * @param busy creates the outcome of an attempt that met another holder, a cooldown
	 * or a tick. It receives the votes, and how long they took
	 */
	RedlockAttempt(NodeGroup nodes, OutstandingAttempts outstanding, LockTarget target, LeaseRequest request,
			BiFunction<VoteCount, Duration, CompletionStage<AttemptOutcome>> busy) {
		this.deadline = nodes.clock().nanoTime() + request.timeout().toNanos();
		this.nodes = nodes;
		this.target = target;
		this.busy = busy;
		this.outstanding = outstanding;
		this.request = request;
		Long tick = (request.tick() != null) ? request.tick().toEpochMilli() : null;
		this.record = new AttemptRecord(request.ownerId(), target, nodes.settings().lockValue(request.ownerId()), tick,
				request.ttl().toNanos(), nodes.size());
	}

	CompletionStage<AttemptOutcome> start() {
		Optional<LockUnavailableException> misconfiguration = this.nodes.misconfiguration();
		if (misconfiguration.isPresent()) {
			return notSent(misconfiguration.get());
		}
		Duration left = Duration.ofNanos(this.deadline - this.nodes.clock().nanoTime());
		if (this.request.permits() > RedlockLockBackend.MOST_PERMITS) {
			return notSent(new InvalidLockRequestException("A lock on several Redis nodes has at most "
					+ RedlockLockBackend.MOST_PERMITS + " permits, not " + this.request.permits()));
		}
		Optional<Long> time = this.nodes.time();
		if (time.isEmpty() || left.isNegative() || left.isZero() || this.nodes.voting().size() < this.nodes.quorum()) {
			return notSent(this.nodes.unavailable("too few nodes can be asked"));
		}
		Instant now = Instant.EPOCH.plus(time.get(), ChronoUnit.MICROS);
		if (this.request.tick() != null && this.request.tick().isAfter(now.plus(MOST_TICK_AHEAD))) {
			return notSent(new InvalidLockRequestException("The tick " + this.request.tick() + " of '"
					+ this.record.keys() + "' is more than " + MOST_TICK_AHEAD + " ahead of the nodes' time " + now
					+ ": compare the clock of this JVM with theirs"));
		}
		this.outstanding.add(this.record);
		this.nodes.clock().scheduleUnlessDone(this.outcome, left, this::expire);
		long first = Math.max(time.get(), this.nodes.counters().above(this.target.keys(), this.nodes.quorum()));
		round(first, time.get(), this.nodes.size());
		return this.outcome;
	}

	private static CompletionStage<AttemptOutcome> notSent(RuntimeException cause) {
		return CompletableFuture.completedStage(new AttemptOutcome.Unavailable(cause, false));
	}

	/**
	 * End without a grant, since rounds may follow each other for longer than the
	 * timeout.
	 */
	private void expire() {
		if (this.record.expire(this.nodes.clock().nanoTime())) {
			this.outstanding.releaseEverywhere(this.record);
			endUnavailable("no majority has answered in time while locking '" + this.record.keys() + "'");
		}
	}

	private void round(long first, long time, int more) {
		int span = (first > time + AHEAD_MICROS) ? 1 : Math.min(MOST_TOKENS, this.request.span());
		TokenRange proposal = new TokenRange(first, span);
		VotingRound round = new VotingRound(this.nodes, this.outstanding, this.record, voteRequest(proposal),
				this.request.permits());
		round.decided().thenAccept((votes) -> decided(round, proposal, votes, more));
		round.send();
	}

	private NodeSession.VoteRequest voteRequest(TokenRange proposal) {
		return new NodeSession.VoteRequest("", 0, 0, this.target.keys(), this.record.value(),
				this.request.ttl().toMillis(), proposal.first(), proposal.count(), this.record.tick(),
				this.request.waiting() ? PollDelay.MARK.toMillis() : 0,
				this.nodes.settings().tokenRetention().toMillis());
	}

	private void decided(VotingRound round, TokenRange proposal, VoteCount votes, int more) {
		if (votes.isGranted()) {
			granted(round, proposal);
		}
		else if (votes.isTooLow() && more > 0 && !this.record.isEnded() && votes.highest() < MOST_TOKEN) {
			long least = Math.max(votes.highest(), proposal.last()) + 1;
			long time = this.nodes.time().orElse(least);
			round(next(least, time, more), time, more - 1);
		}
		else {
			// If a majority keeps the lock here, it refused the tokens. Waiters may have
			// met this attempt as a holder, and are notified then.
			endWithoutGrant(votes.isTooLow());
			round.named().thenAccept((all) -> {
				// The attempt may have expired by now.
				if (!this.outcome.isDone()) {
					refused(round, all).thenAccept(this.outcome::complete);
				}
			});
		}
	}

	/**
	 * Return the first token of the next round.
	 * @param least the least one that can succeed
	 */
	private long next(long least, long time, int more) {
		long next = this.target.isGroup() ? aboveOthers(least, time) : least;
		// A node without a counter refuses tokens far behind its clock, which advances
		// between two rounds.
		return (more < this.nodes.size()) ? next + AHEAD_MICROS : next;
	}

	/**
	 * Return a token for a group, whose other members raise the counters between two
	 * rounds. By chance one of several attempts is above the others.
	 */
	private long aboveOthers(long least, long time) {
		return Math.max(least, time) + this.nodes.random().below(HEADROOM_MICROS);
	}

	private void granted(VotingRound round, TokenRange proposal) {
		long validUntil = LockClock.validUntil(round.sentAt(), this.request.ttl());
		if (validUntil - this.nodes.clock().nanoTime() > 0 && this.record.markHeld(proposal, validUntil)) {
			this.nodes.markGranted();
			this.outcome.complete(new AttemptOutcome.Granted(this.record.grant(proposal, validUntil)));
			return;
		}
		endWithoutGrant(true);
		endUnavailable("the answers arrived after the end of the lease");
	}

	private void endUnavailable(String why) {
		this.outcome.complete(new AttemptOutcome.Unavailable(this.nodes.unavailable(why), true));
	}

	private void endWithoutGrant(boolean notifyWaiters) {
		this.record.end(notifyWaiters, this.nodes.clock().nanoTime());
		this.outstanding.releaseEverywhere(this.record);
	}

	private CompletionStage<AttemptOutcome> refused(VotingRound round, VoteCount votes) {
		Optional<Long> done = votes.done();
		if (done.isPresent()) {
			return CompletableFuture.completedStage(new AttemptOutcome.Done(Instant.ofEpochMilli(done.get()),
					Instant.ofEpochMilli(votes.latestTick())));
		}
		if (votes.counted() < this.nodes.quorum()) {
			return unavailable(round, this.nodes.unavailable(
					"while locking '" + this.record.keys() + "', with " + votes.counted() + " votes", round.faults()));
		}
		if (!this.target.isGroup()
				&& !votes.isHeldByAnother(this.outstanding.leftovers(this.target.keys(), round.sentAt()))) {
			return unavailable(round, new LockUnavailableException("No majority of the nodes of the locks has granted '"
					+ this.record.keys() + "', and none of the " + votes.counted()
					+ " that have voted names another holder: " + votes.keeping() + " keep it for this attempt"));
		}
		Duration roundTrip = Duration.ofNanos(this.nodes.clock().nanoTime() - round.sentAt());
		return this.busy.apply(votes, roundTrip);
	}

	private static CompletionStage<AttemptOutcome> unavailable(VotingRound round, LockUnavailableException cause) {
		return CompletableFuture.completedStage(new AttemptOutcome.Unavailable(cause, round.isSent()));
	}

}
