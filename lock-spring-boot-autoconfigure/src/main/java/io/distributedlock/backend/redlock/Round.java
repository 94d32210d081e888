package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * One set of requests for votes: all nodes are asked at once, and it ends as soon as the
 * outcome is decided. Nodes that are slow are not waited for, but their answers are
 * looked at whenever they come.
 */
final class Round {

	/**
	 * How long one vote more is waited for that would spare a second round, at least.
	 */
	private static final long SHORTEST_GRACE_NANOS = 500_000;

	private final Nodes nodes;

	private final Counters counters;

	private final Claims claims;

	private final Claim claim;

	private final NodeSession.Ask ask;

	private final List<NodeLink> asked;

	private final CompletableFuture<Tally> decided = new CompletableFuture<>();

	private final CompletableFuture<Tally> named = new CompletableFuture<>();

	private final long sentAt;

	// All below is guarded by the monitor; futures are completed outside of it.
	private final Tally tally;

	private final NodeFaults faults = new NodeFaults();

	// The servers whose votes count: one that is listed under two addresses has one.
	private final Set<String> counted = new HashSet<>();

	private boolean sending = true;

	private boolean graceOver;

	private boolean graceBegun;

	private LockClock.Timeout timeout = () -> {
	};

	/**
	 * Create a round.
	 * @param ask what is asked for; state and floors are each node's own
	 */
	Round(Nodes nodes, Counters counters, Claims claims, Claim claim, NodeSession.Ask ask) {
		this.nodes = nodes;
		this.counters = counters;
		this.claims = claims;
		this.claim = claim;
		this.ask = ask;
		this.asked = nodes.voting();
		this.sentAt = nodes.clock().nanoTime();
		this.tally = new Tally(nodes.size(), nodes.quorum());
		this.asked.forEach((link) -> this.tally.asked(link.index()));
	}

	/**
	 * Return the monotonic time from before the first request was sent.
	 */
	long sentAt() {
		return this.sentAt;
	}

	/**
	 * Return whether any node may have done what it was asked.
	 */
	boolean isSent() {
		return this.asked.size() > this.faults.unknown().size();
	}

	/**
	 * Return the votes that decide: there is a grant, or a majority keeps the lock but
	 * the tokens are too low, or neither will come.
	 */
	CompletableFuture<Tally> decided() {
		return this.decided;
	}

	/**
	 * Return the votes that tell of a round without a grant who is in the way, or that
	 * they don't.
	 */
	CompletableFuture<Tally> named() {
		return this.named;
	}

	/**
	 * Return what nodes have failed with so far.
	 */
	NodeFaults faults() {
		return this.faults;
	}

	void send() {
		synchronized (this) {
			this.timeout = this.nodes.clock().schedule(this.nodes.settings().nodeTimeout(), this::timeOut);
		}
		this.asked.forEach(this::send);
		synchronized (this) {
			this.sending = false;
		}
		decide();
	}

	private void send(NodeLink link) {
		NodeStanding standing = link.standing();
		NodeSession session = standing.session();
		if (session == null || !(standing.state() instanceof NodeState.Voting voting)) {
			answered(link, null);
			return;
		}
		NodeSession.Ask own = new NodeSession.Ask(standing.literal(), voting.floor().token(), voting.floor().tick(),
				this.ask.key(), this.ask.value(), this.ask.ttlMillis(), this.ask.first(), this.ask.span(),
				this.ask.tick(), this.ask.markMillis(), this.ask.retentionMillis());
		int jumps = link.jumps();
		CompletionStage<NodeAnswer<Vote>> asked = this.claims.ask(this.claim, link, session, this.sentAt,
				(open) -> open.acquire(own), (vote) -> vote instanceof Vote.Ack || vote instanceof Vote.Low);
		if (asked == null) {
			answered(link, null);
			return;
		}
		asked.whenComplete((answer, fault) -> {
			this.faults.add(link.index(), fault);
			Vote vote = (answer != null) ? answer.value() : null;
			if (vote instanceof Vote.Unknown unknown) {
				this.faults.add(link.index(), new UnknownFormatException(unknown.found()));
			}
			if (vote instanceof Vote.Quarantined) {
				link.look();
			}
			boolean counts = vote != null && link.isTrusted(jumps) && isFirstOf(voting.runId());
			answered(link, counts ? vote : null);
		});
	}

	private synchronized boolean isFirstOf(String runId) {
		return this.counted.add(runId);
	}

	private void answered(NodeLink link, @Nullable Vote vote) {
		if (vote instanceof Vote.Low low) {
			this.counters.see(this.ask.key(), link.index(), low.counter());
		}
		else if (vote instanceof Vote.Busy busy) {
			this.counters.see(this.ask.key(), link.index(), busy.counter());
		}
		else if (vote instanceof Vote.Ack) {
			this.counters.see(this.ask.key(), link.index(), this.ask.first() + this.ask.span() - 1);
		}
		synchronized (this) {
			this.tally.answered(link.index(), vote);
		}
		decide();
	}

	private void timeOut() {
		synchronized (this) {
			this.tally.close();
		}
		decide();
	}

	private void decide() {
		@Nullable Tally votes;
		boolean decides;
		boolean names;
		long grace = 0;
		synchronized (this) {
			if (this.sending) {
				return;
			}
			if (this.named.isDone()) {
				return;
			}
			decides = this.tally.isGranted() || this.tally.isRefused()
					|| this.tally.isTooLow() && (this.graceOver || !this.tally.canStillBeGranted());
			names = decides && (this.tally.isGranted() || this.tally.isNamed() || this.tally.open() == 0
					|| !this.tally.canStillBeNamed() && isMajorityHeard());
			if (!decides && this.tally.isTooLow() && !this.graceBegun) {
				this.graceBegun = true;
				grace = Math.max(SHORTEST_GRACE_NANOS, this.nodes.clock().nanoTime() - this.sentAt);
			}
			votes = decides ? this.tally.copy() : null;
			if (names) {
				this.timeout.cancel();
			}
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

	/**
	 * Before that, a split vote can't be told from nodes that can't be asked. Called
	 * under the monitor.
	 */
	private boolean isMajorityHeard() {
		return this.tally.said() >= this.nodes.quorum();
	}

}
