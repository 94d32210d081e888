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
 * holds it: {@link Round} guards the one that still changes.
 */
final class Tally {

	private final int quorum;

	private final @Nullable Vote[] votes;

	private final boolean[] open;

	private int openCount;

	private int acks;

	private int mine;

	private int said;

	Tally(int nodes, int quorum) {
		this.quorum = quorum;
		this.votes = new Vote[nodes];
		this.open = new boolean[nodes];
	}

	private Tally(Tally other) {
		this.quorum = other.quorum;
		this.votes = other.votes.clone();
		this.open = other.open.clone();
		this.openCount = other.openCount;
		this.acks = other.acks;
		this.mine = other.mine;
		this.said = other.said;
	}

	Tally copy() {
		return new Tally(this);
	}

	void asked(int node) {
		this.open[node] = true;
		this.openCount++;
	}

	void answered(int node, @Nullable Vote vote) {
		if (this.open[node]) {
			this.open[node] = false;
			this.openCount--;
		}
		this.votes[node] = vote;
		if (vote instanceof Vote.Ack) {
			this.acks++;
			this.mine++;
			this.said++;
		}
		else if (vote instanceof Vote.Low) {
			this.mine++;
			this.said++;
		}
		else if (vote instanceof Vote.Busy || vote instanceof Vote.Done) {
			this.said++;
		}
	}

	/**
	 * Wait for nobody any more.
	 */
	void close() {
		Arrays.fill(this.open, false);
		this.openCount = 0;
	}

	int open() {
		return this.openCount;
	}

	int acks() {
		return this.acks;
	}

	/**
	 * Return how many nodes keep the lock for the attempt.
	 */
	int mine() {
		return this.mine;
	}

	/**
	 * Return how many nodes have said something that counts.
	 */
	int said() {
		return this.said;
	}

	boolean isGranted() {
		return acks() >= this.quorum;
	}

	/**
	 * Return whether a majority keeps the lock for the attempt, which needs other tokens.
	 */
	boolean isTooLow() {
		return mine() >= this.quorum && !isGranted();
	}

	boolean canStillBeGranted() {
		return acks() + open() >= this.quorum;
	}

	/**
	 * Return whether no majority keeps the lock for the attempt, nor will.
	 */
	boolean isRefused() {
		return mine() + open() < this.quorum;
	}

	/**
	 * Return the greatest counter that any node has told.
	 */
	long highest() {
		return LongStream
			.concat(all(Vote.Low.class).mapToLong(Vote.Low::counter), all(Vote.Busy.class).mapToLong(Vote.Busy::counter))
			.reduce(0, Math::max);
	}

	private <V extends Vote> Stream<V> all(Class<V> kind) {
		return Arrays.stream(this.votes).filter(kind::isInstance).map(kind::cast);
	}

	/**
	 * Return how many votes name each holder.
	 */
	private <V extends Vote> Map<String, Long> byHolder(Class<V> kind, Function<V, String> holder) {
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
		String holder = majorityOf(byHolder(Vote.Done.class, Vote.Done::holder)).orElse(null);
		if (holder == null) {
			return Optional.empty();
		}
		long least = all(Vote.Done.class).filter((done) -> done.holder().equals(holder))
			.mapToLong(Vote.Done::tick)
			.reduce(Long.MAX_VALUE, Math::min);
		// A tick before 1970 is a mark, which must not go back once it was believed: a
		// holder may still withdraw it.
		return (holder.isEmpty() || least >= 0) ? Optional.of(least) : Optional.empty();
	}

	/**
	 * Return the greatest tick that any node has named.
	 */
	long latestTick() {
		return all(Vote.Done.class).mapToLong(Vote.Done::tick).reduce(Long.MIN_VALUE, Math::max);
	}

	/**
	 * Return what is left until a majority of nodes is free, in ms, if one holder has a
	 * majority now; negative for ever.
	 */
	Optional<Long> restOfOneHolder() {
		return majorityOf(byHolder(Vote.Busy.class, Vote.Busy::holder)).map(this::rest);
	}

	private long rest(String holder) {
		long[] rests = all(Vote.Busy.class).filter((busy) -> busy.holder().equals(holder))
			.mapToLong((busy) -> (busy.restMillis() >= 0) ? busy.restMillis() : Long.MAX_VALUE)
			.toArray();
		int missing = Math.max(1, this.quorum - mine());
		long rest = Nodes.smallest(Math.min(missing, rests.length), rests);
		return (rest != Long.MAX_VALUE) ? rest : -1;
	}

	/**
	 * Return whether any node names a holder, a cooldown or a tick that stands in the
	 * way.
	 * @param leftovers short hashes of values that are no holder's
	 */
	boolean isHeldByAnother(Set<String> leftovers) {
		return Stream.concat(all(Vote.Busy.class).map(Vote.Busy::holder), all(Vote.Done.class).map(Vote.Done::holder))
			.anyMatch((holder) -> !leftovers.contains(holder));
	}

	/**
	 * Return whether those who are silent could still make a majority speak of one
	 * holder.
	 */
	boolean canStillBeNamed() {
		long most = Stream
			.concat(byHolder(Vote.Busy.class, Vote.Busy::holder).values().stream(),
					byHolder(Vote.Done.class, Vote.Done::holder).values().stream())
			.reduce(0L, Math::max);
		return most + open() >= this.quorum;
	}

	boolean isNamed() {
		return done().isPresent() || restOfOneHolder().isPresent();
	}

}
