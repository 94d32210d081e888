package io.distributedlock.backend.redlock;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;

/**
 * Counts the votes of one round so far, and draws conclusions from them. It is not
 * synchronized: {@link VotingRound} guards the instance that still changes.
 */
final class VoteCount {

	/**
	 * The values of locks that are held by groups, as nodes name them.
	 */
	private static final Set<String> GROUPS = Set.of(NodeVote.hash(NodeHolder.kind(LockMode.SHARED)),
			NodeVote.hash(NodeHolder.kind(LockMode.PERMITS)));

	private final int quorum;

	private final int permits;

	private final @Nullable NodeVote[] votes;

	private final BitSet pending;

	/**
	 * Create a count without votes.
	 * @param permits how many members the group may have with the attempt; zero for any
	 * number, and for an exclusive lock
	 */
	VoteCount(int nodes, int quorum, int permits) {
		this(quorum, permits, new NodeVote[nodes], new BitSet(nodes));
	}

	private VoteCount(int quorum, int permits, @Nullable NodeVote[] votes, BitSet pending) {
		this.quorum = quorum;
		this.permits = permits;
		this.votes = votes;
		this.pending = pending;
	}

	VoteCount copy() {
		return new VoteCount(this.quorum, this.permits, this.votes.clone(), (BitSet) this.pending.clone());
	}

	void asked(int node) {
		this.pending.set(node);
	}

	void answered(int node, @Nullable NodeVote vote) {
		this.pending.clear(node);
		this.votes[node] = vote;
	}

	/**
	 * Wait for no more votes.
	 */
	void close() {
		this.pending.clear();
	}

	private int pending() {
		return this.pending.cardinality();
	}

	// Counted in loops, since this runs for every answer.
	private int acks() {
		int acks = 0;
		for (NodeVote vote : this.votes) {
			if (vote instanceof NodeVote.Ack) {
				acks++;
			}
		}
		return acks;
	}

	/**
	 * Return how many nodes keep the lock for the attempt, or would with other tokens.
	 */
	int keeping() {
		int keeping = 0;
		for (NodeVote vote : this.votes) {
			if (vote != null && vote.keepsLock()) {
				keeping++;
			}
		}
		return keeping;
	}

	/**
	 * Return how many nodes have given a vote that counts.
	 */
	int counted() {
		return keeping() + (int) all(NodeVote.Taken.class).count();
	}

	boolean isGranted() {
		return acks() >= this.quorum && (this.permits == 0 || permitVotes().leaveRoom(this.votes));
	}

	/**
	 * Return whether a majority keeps the lock for the attempt, or would, but has not
	 * acknowledged its tokens, so that others may lead to a grant.
	 */
	boolean isTooLow() {
		return keeping() >= this.quorum && acks() < this.quorum && !areUsedUp();
	}

	private boolean areUsedUp() {
		return this.permits > 0 && permitVotes().areUsedUp(this.votes);
	}

	private PermitVotes permitVotes() {
		return new PermitVotes(this.quorum, this.permits);
	}

	/**
	 * Return whether the round is decided: there is a grant, a majority can no longer
	 * keep the lock for the attempt, the permits are used up, or the attempt needs other
	 * tokens.
	 * @param graceOver whether to propose other tokens although the pending votes could
	 * still complete a grant
	 */
	boolean isDecided(boolean graceOver) {
		boolean refused = keeping() + pending() < this.quorum;
		return isGranted() || refused || isTooLow() && (graceOver || acks() + pending() < this.quorum)
				|| this.permits > 0 && isCrowded();
	}

	/**
	 * Return whether a majority has acknowledged the tokens, or some nodes have, but the
	 * others that they name leave no permit.
	 */
	private boolean isCrowded() {
		return pending() == 0 && acks() >= this.quorum || areUsedUp();
	}

	/**
	 * Return the greatest counter that any node has named.
	 */
	long highest() {
		return all(NodeVote.Counted.class).mapToLong(NodeVote.Counted::counter).reduce(0, Math::max);
	}

	private <V extends NodeVote> Stream<V> all(Class<V> kind) {
		return Arrays.stream(this.votes).filter(kind::isInstance).map(kind::cast);
	}

	/**
	 * Return how many votes name each holder.
	 */
	private Map<String, Long> byHolder(Class<? extends NodeVote.Taken> kind) {
		return all(kind).collect(Collectors.groupingBy(NodeVote.Taken::holder, Collectors.counting()));
	}

	private Optional<String> majorityOf(Class<? extends NodeVote.Taken> kind) {
		return byHolder(kind).entrySet()
			.stream()
			.filter((entry) -> entry.getValue() >= this.quorum)
			.map(Map.Entry::getKey)
			.findFirst();
	}

	/**
	 * Return the tick that has run, if the requested one has. That is so if a majority
	 * reports it as settled, or names one holder that may still withdraw it.
	 */
	Optional<Long> done() {
		String holder = majorityOf(NodeVote.Done.class).orElse(null);
		if (holder == null) {
			return Optional.empty();
		}
		long least = all(NodeVote.Done.class).filter((done) -> done.holder().equals(holder))
			.mapToLong(NodeVote.Done::tick)
			.reduce(Long.MAX_VALUE, Math::min);
		// A tick before 1970 is a mark, which must not go back once it was believed. One
		// that its holder may still withdraw does not count.
		return (holder.isEmpty() || least >= 0) ? Optional.of(least) : Optional.empty();
	}

	/**
	 * Return the greatest tick that any node has named.
	 */
	long latestTick() {
		return all(NodeVote.Done.class).mapToLong(NodeVote.Done::tick).reduce(Long.MIN_VALUE, Math::max);
	}

	/**
	 * Return the time in ms until a majority of nodes is free, if one holder has a
	 * majority now or the permits are used up; negative for forever, or if it is not
	 * known.
	 */
	Optional<Long> restOfHolders() {
		Optional<Long> ofOne = majorityOf(NodeVote.Busy.class).map(this::restOfOne);
		return (ofOne.isEmpty() && areUsedUp()) ? Optional.of(restOfMembers()) : ofOne;
	}

	private long restOfOne(String holder) {
		return rest(all(NodeVote.Busy.class).filter((busy) -> busy.holder().equals(holder))
			.mapToLong((busy) -> (busy.restMillis() >= 0) ? busy.restMillis() : Long.MAX_VALUE)
			.toArray());
	}

	private long restOfMembers() {
		long[] rests = all(NodeVote.Full.class).mapToLong(NodeVote.Full::restMillis).toArray();
		return (rests.length > 0) ? rest(rests) : -1;
	}

	private long rest(long[] rests) {
		int missing = Math.max(1, this.quorum - keeping());
		long rest = NodeGroup.smallest(Math.min(missing, rests.length), rests);
		return (rest != Long.MAX_VALUE) ? rest : -1;
	}

	/**
	 * Return which keys have a group at any node, where exclusive locks were requested.
	 */
	IntStream groups() {
		return all(NodeVote.Busy.class).filter((busy) -> GROUPS.contains(busy.holder()))
			.mapToInt(NodeVote.Busy::index)
			.distinct();
	}

	/**
	 * Return whether any node that votes has stored the mark of a waiter.
	 */
	boolean hasMarks() {
		return all(NodeVote.Taken.class).findAny().isPresent();
	}

	/**
	 * Return whether any node names a holder, a cooldown or a tick that prevents the
	 * grant.
	 * @param leftovers short hashes of values that belong to no holder
	 */
	boolean isHeldByAnother(Set<String> leftovers) {
		return all(NodeVote.Taken.class).anyMatch((taken) -> !leftovers.contains(taken.holder()));
	}

	/**
	 * Return whether there is a grant, or it is clear what prevents it.
	 */
	boolean isNamed() {
		return isGranted() || done().isPresent() || restOfHolders().isPresent() || pending() == 0
		// Before that, split votes and unreachable nodes can't be distinguished.
				|| counted() >= this.quorum && !canStillBeNamed();
	}

	/**
	 * Return whether the pending votes could still make a majority name one holder.
	 */
	private boolean canStillBeNamed() {
		long most = Stream.of(NodeVote.Busy.class, NodeVote.Done.class)
			.flatMap((kind) -> byHolder(kind).values().stream())
			.reduce(0L, Math::max);
		return most + pending() >= this.quorum;
	}

}
