package io.distributedlock.backend.redlock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Decides by the votes of one round whether there is a permit for the attempt.
 * <p>
 * To count the members at each node is not enough: with three nodes and two permits,
 * three holders can have two nodes each, and every node counts two. So nodes name the
 * other members. An attempt is granted if the acknowledgements of a majority name fewer
 * different ones than it has permits. Take any two holders. Their majorities share a
 * node, which acknowledges growing tokens only, so it has named the one with the smaller
 * token to the other. Of more holders than permits, the one with the greatest token has
 * seen all others, and was refused.
 */
final class PermitVotes {

	/**
	 * How many combinations of nodes are tried. Seven nodes have 35. Beyond that the
	 * attempt may be refused although there is a permit.
	 */
	private static final int MOST_COMBINATIONS = 10_000;

	private final int quorum;

	private final int permits;

	private int combinations;

	PermitVotes(int quorum, int permits) {
		this.quorum = quorum;
		this.permits = permits;
	}

	/**
	 * Return whether there is a majority of acknowledgements that name fewer others than
	 * there are permits. Any majority does: what a crashed attempt has left at a minority
	 * takes no permit from others.
	 */
	boolean leaveRoom(@Nullable NodeVote[] votes) {
		List<List<String>> named = new ArrayList<>(votes.length);
		for (NodeVote vote : votes) {
			if (vote instanceof NodeVote.Ack ack && ack.others().size() < this.permits) {
				named.add(ack.others());
			}
		}
		named.sort(Comparator.comparingInt(List::size));
		return leaveRoom(named, 0, this.quorum, Set.of());
	}

	private boolean leaveRoom(List<List<String>> named, int from, int missing, Set<String> seen) {
		if (missing == 0) {
			return true;
		}
		for (int i = from; i <= named.size() - missing && this.combinations < MOST_COMBINATIONS; i++) {
			this.combinations++;
			Set<String> all = new HashSet<>(seen);
			all.addAll(named.get(i));
			if (all.size() < this.permits && leaveRoom(named, i + 1, missing - 1, all)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether as many others as there are permits are each named by a majority.
	 * Every majority then has named all of them, so no further vote makes a difference.
	 */
	boolean areUsedUp(@Nullable NodeVote[] votes) {
		Map<String, Integer> nodes = new HashMap<>();
		Arrays.stream(votes)
			.filter(Objects::nonNull)
			.flatMap(PermitVotes::others)
			.forEach((other) -> nodes.merge(other, 1, Integer::sum));
		return nodes.values().stream().filter((number) -> number >= this.quorum).count() >= this.permits;
	}

	private static Stream<String> others(NodeVote vote) {
		if (vote instanceof NodeVote.Ack ack) {
			return ack.others().stream();
		}
		return (vote instanceof NodeVote.Full full) ? full.others().stream() : Stream.empty();
	}

}
