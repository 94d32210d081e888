package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockTarget;

/**
 * Asks all nodes for their votes at once, and ends as soon as the outcome is decided. It
 * does not wait for slow nodes, but evaluates their answers whenever they arrive.
 */
final class VotingRound {

	/**
	 * The shortest wait for one more vote that would make a second round unnecessary.
	 */
	private static final long SHORTEST_GRACE_NANOS = 500_000;

	private final NodeGroup nodes;

	private final OutstandingAttempts outstanding;

	private final AttemptRecord record;

	private final NodeSession.VoteRequest request;

	private final int permits;

	private final List<NodeLink> asked;

	private final CompletableFuture<VoteCount> decided = new CompletableFuture<>();

	private final CompletableFuture<VoteCount> named = new CompletableFuture<>();

	private final long sentAt;

	private final NodeFaults faults = new NodeFaults();

	// All below is guarded by the monitor; futures are completed outside of it.
	private final VoteCount count;

	// The servers that were counted: one that is listed under two addresses has one vote.
	private final Set<String> counted = new HashSet<>();

	private boolean sending = true;

	private boolean graceOver;

	private boolean graceBegun;

	/**
	 * Create a round.
	 * @param request the request; state and floors are set for each node
	 * @param permits how many members the group may have with the attempt, or zero
	 */
	VotingRound(NodeGroup nodes, OutstandingAttempts outstanding, AttemptRecord record, NodeSession.VoteRequest request,
			int permits) {
		this.nodes = nodes;
		this.outstanding = outstanding;
		this.record = record;
		this.request = request;
		this.permits = permits;
		this.asked = nodes.voting();
		this.sentAt = nodes.clock().nanoTime();
		this.count = new VoteCount(nodes.size(), nodes.quorum(), permits);
		this.asked.forEach((link) -> this.count.asked(link.index()));
	}

	/**
	 * Return the monotonic time from before the first request was sent.
	 */
	long sentAt() {
		return this.sentAt;
	}

	/**
	 * Return whether any node may have executed the request.
	 */
	boolean isSent() {
		return this.asked.size() > this.faults.unknown().size();
	}

	/**
	 * Return the votes that decide the round: there is a grant, a majority keeps the lock
	 * but the tokens are too low, or neither will follow.
	 */
	CompletableFuture<VoteCount> decided() {
		return this.decided;
	}

	/**
	 * Return the votes that show what prevents a grant, or that this stays unclear.
	 */
	CompletableFuture<VoteCount> named() {
		return this.named;
	}

	/**
	 * Return the faults of nodes so far.
	 */
	NodeFaults faults() {
		return this.faults;
	}

	void send() {
		this.nodes.clock().scheduleUnlessDone(this.named, this.nodes.settings().nodeTimeout(), this::timeOut);
		this.asked.forEach(this::send);
		synchronized (this) {
			this.sending = false;
		}
		decide();
	}

	private void send(NodeLink link) {
		NodeSnapshot snapshot = link.snapshot();
		NodeSession session = snapshot.session();
		if (session == null || !(snapshot.state() instanceof NodeState.Voting voting)) {
			answered(link, null);
			return;
		}
		NodeSession.VoteRequest own = this.request.at(snapshot.literal(), voting.floor());
		int jumps = link.jumps();
		CompletionStage<NodeAnswer<NodeVote>> asked = this.outstanding.request(this.record, link, session, this.sentAt,
				(open) -> ask(open, own), NodeVote::keepsLock);
		asked.whenComplete((answer, fault) -> {
			this.faults.add(link.index(), fault);
			NodeVote vote = (answer != null) ? answer.value() : null;
			if (vote instanceof NodeVote.Unknown unknown) {
				this.faults.add(link.index(), new UnknownFormatException(unknown.found()));
			}
			if (vote instanceof NodeVote.Quarantined) {
				link.inspect();
			}
			boolean counts = vote != null && link.isTrusted(jumps) && countOnce(voting.runId());
			answered(link, counts ? vote : null);
		});
	}

	private CompletionStage<NodeAnswer<NodeVote>> ask(NodeSession session, NodeSession.VoteRequest own) {
		LockTarget target = this.record.target();
		return target.isGroup() ? session.enter(new NodeMembers.EntryRequest(target.mode(), this.permits, own))
				: session.acquire(own);
	}

	private synchronized boolean countOnce(String server) {
		return this.counted.add(server);
	}

	private void answered(NodeLink link, @Nullable NodeVote vote) {
		if (vote instanceof NodeVote.Counted seen) {
			this.nodes.counters().see(this.request.keys().get(seen.index()), link.index(), seen.counter());
		}
		else if (vote instanceof NodeVote.Ack) {
			for (String key : this.request.keys()) {
				this.nodes.counters().see(key, link.index(), this.request.last());
			}
		}
		synchronized (this) {
			this.count.answered(link.index(), vote);
		}
		decide();
	}

	private void timeOut() {
		synchronized (this) {
			this.count.close();
		}
		decide();
	}

	private void decide() {
		@Nullable VoteCount votes;
		boolean decides;
		boolean names;
		long grace = 0;
		synchronized (this) {
			if (this.sending || this.named.isDone()) {
				return;
			}
			decides = this.count.isDecided(this.graceOver);
			names = decides && this.count.isNamed();
			if (!decides && this.count.isTooLow() && !this.graceBegun) {
				this.graceBegun = true;
				grace = Math.max(SHORTEST_GRACE_NANOS, this.nodes.clock().nanoTime() - this.sentAt);
			}
			votes = decides ? this.count.copy() : null;
		}
		if (grace > 0) {
			this.nodes.clock().schedule(Duration.ofNanos(grace), this::endGrace);
		}
		if (votes != null) {
			this.decided.complete(votes);
			if (names) {
				this.named.complete(votes);
			}
		}
	}

	private void endGrace() {
		synchronized (this) {
			this.graceOver = true;
		}
		decide();
	}

}
