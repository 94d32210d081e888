package io.distributedlock.backend.redlock;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The votes of one round so far, and what follows from them. A plain value to whoever
 * holds it: {@link VotingRound} guards the one that still changes.
 */
final class VoteCount {

	private final int quorum;

	private final @Nullable NodeVote[] votes;

	private final boolean[] pending;

	private int pendingCount;

	private int acks;

	private int keeping;

	private int counted;

	VoteCount(int nodes, int quorum) {
		this.quorum = quorum;
		this.votes = new NodeVote[nodes];
		this.pending = new boolean[nodes];
	}

	private VoteCount(VoteCount other) {
		this.quorum = other.quorum;
		this.votes = other.votes.clone();
		this.pending = other.pending.clone();
		this.pendingCount = other.pendingCount;
		this.acks = other.acks;
		this.keeping = other.keeping;
		this.counted = other.counted;
	}

	VoteCount copy() {
		return new VoteCount(this);
	}

	void asked(int node) {
		this.pending[node] = true;
		this.pendingCount++;
	}

	void answered(int node, @Nullable NodeVote vote) {
		if (this.pending[node]) {
			this.pending[node] = false;
			this.pendingCount--;
		}
		this.votes[node] = vote;
		if (vote instanceof NodeVote.Ack) {
			this.acks++;
		}
		if (vote != null && vote.keepsLock()) {
			this.keeping++;
			this.counted++;
		}
		else if (vote instanceof NodeVote.Busy || vote instanceof NodeVote.Done) {
			this.counted++;
		}
	}

	/**
	 * Wait for nobody any more.
	 */
	void close() {
		Arrays.fill(this.pending, false);
		this.pendingCount = 0;
	}

	int pending() {
		return this.pendingCount;
	}

	int acks() {
		return this.acks;
	}

	/**
	 * Return how many nodes keep the lock for the attempt.
	 */
	int keeping() {
		return this.keeping;
	}

	/**
	 * Return how many nodes have said something that counts.
	 */
	int counted() {
		return this.counted;
	}

	boolean isGranted() {
		return acks() >= this.quorum;
	}

	/**
	 * Return whether a majority keeps the lock for the attempt, which needs other tokens.
	 */
	boolean isTooLow() {
		return keeping() >= this.quorum && !isGranted();
	}

	boolean canStillBeGranted() {
		return acks() + pending() >= this.quorum;
	}

	/**
	 * Return whether no majority keeps the lock for the attempt, nor will.
	 */
	boolean isRefused() {
		return keeping() + pending() < this.quorum;
	}

	/**
	 * Return the greatest counter that any node has named.
	 */
	long highest() {
		return LongStream
			.concat(all(NodeVote.Low.class).mapToLong(NodeVote.Low::counter),
					all(NodeVote.Busy.class).mapToLong(NodeVote.Busy::counter))
			.reduce(0, Math::max);
	}

	private <V extends NodeVote> Stream<V> all(Class<V> kind) {
		return Arrays.stream(this.votes).filter(kind::isInstance).map(kind::cast);
	}

	/**
	 * Return how many votes name each holder.
	 */
	private <V extends NodeVote> Map<String, Long> byHolder(Class<V> kind, Function<V, String> holder) {
		return all(kind).collect(Collectors.groupingBy(holder, Collectors.counting()));
	}

	private Optional<String> majorityOf(Map<String, Long> byHolder) {
		return byHolder.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() >= this.quorum)
			.map(Map.Entry::getKey)
			.findFirst();
	}

	/**
	 * Return the tick that has run, if the wanted one has: where a majority says so, and
	 * nobody may still withdraw it, or all of them speak of one holder.
	 */
	Optional<Long> done() {
		String holder = majorityOf(byHolder(NodeVote.Done.class, NodeVote.Done::holder)).orElse(null);
		if (holder == null) {
			return Optional.empty();
		}
		long least = all(NodeVote.Done.class).filter((done) -> done.holder().equals(holder))
			.mapToLong(NodeVote.Done::tick)
			.reduce(Long.MAX_VALUE, Math::min);
		// A tick before 1970 is a mark, which must not go back once it was believed: a
		// holder may still withdraw it.
		return (holder.isEmpty() || least >= 0) ? Optional.of(least) : Optional.empty();
	}

	/**
	 * Return the greatest tick that any node has named.
	 */
	long latestTick() {
		return all(NodeVote.Done.class).mapToLong(NodeVote.Done::tick).reduce(Long.MIN_VALUE, Math::max);
	}

	/**
	 * Return what is left until a majority of nodes is free, in ms, if one holder has a
	 * majority now; negative for ever.
	 */
	Optional<Long> restOfOneHolder() {
		return majorityOf(byHolder(NodeVote.Busy.class, NodeVote.Busy::holder)).map(this::rest);
	}

	private long rest(String holder) {
		long[] rests = all(NodeVote.Busy.class).filter((busy) -> busy.holder().equals(holder))
			.mapToLong((busy) -> (busy.restMillis() >= 0) ? busy.restMillis() : Long.MAX_VALUE)
			.toArray();
		int missing = Math.max(1, this.quorum - keeping());
		long rest = NodeGroup.smallest(Math.min(missing, rests.length), rests);
		return (rest != Long.MAX_VALUE) ? rest : -1;
	}

	/**
	 * Return whether any node names a holder, a cooldown or a tick that stands in the
	 * way.
	 * @param leftovers short hashes of values that are no holder's
	 */
	boolean isHeldByAnother(Set<String> leftovers) {
		return Stream
			.concat(all(NodeVote.Busy.class).map(NodeVote.Busy::holder),
					all(NodeVote.Done.class).map(NodeVote.Done::holder))
			.anyMatch((holder) -> !leftovers.contains(holder));
	}

	/**
	 * Return whether those who are silent could still make a majority speak of one
	 * holder.
	 */
	boolean canStillBeNamed() {
		long most = Stream
			.concat(byHolder(NodeVote.Busy.class, NodeVote.Busy::holder).values().stream(),
					byHolder(NodeVote.Done.class, NodeVote.Done::holder).values().stream())
			.reduce(0L, Math::max);
		return most + pending() >= this.quorum;
	}

	boolean isNamed() {
		return done().isPresent() || restOfOneHolder().isPresent();
	}

}
