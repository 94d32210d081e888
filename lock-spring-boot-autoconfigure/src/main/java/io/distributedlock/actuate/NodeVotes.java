package io.distributedlock.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.NodeStatus;

/**
 * Counts the votes of the nodes of a store.
 *
 * @param nodes the nodes; empty if the store has none
 * @param quorum how many have to agree; zero without nodes
 */
record NodeVotes(List<NodeStatus> nodes, int quorum) {

	long voting() {
		return in(NodeStatus.State.UP);
	}

	boolean isQuorum() {
		return voting() >= this.quorum;
	}

	/**
	 * Return whether enough nodes will vote when the quarantines have ended.
	 */
	boolean isQuorumAfterQuarantine() {
		return voting() + in(NodeStatus.State.QUARANTINED) >= this.quorum;
	}

	/**
	 * Return the time until enough nodes vote if no other one comes up, or {@code null}
	 * if it is not known.
	 */
	@Nullable Duration quarantine() {
		long missing = this.quorum - voting();
		return this.nodes.stream()
			.filter((node) -> node.state() == NodeStatus.State.QUARANTINED)
			.map(NodeStatus::remaining)
			.filter(Objects::nonNull)
			.sorted()
			.skip(Math.max(0, missing - 1))
			.findFirst()
			.orElse(null);
	}

	String shortfall() {
		if (this.nodes.size() == 1 && in(NodeStatus.State.QUARANTINED) == 1) {
			return "it may have forgotten locks, and grants none until its quarantine is over";
		}
		return "only " + voting() + " of " + this.nodes.size() + " nodes vote, and a lease needs " + this.quorum;
	}

	private long in(NodeStatus.State state) {
		return this.nodes.stream().filter((node) -> node.state() == state).count();
	}

}
