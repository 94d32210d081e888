package io.distributedlock.backend.redlock;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
		long highest = 0;
		for (Vote vote : this.votes) {
			if (vote instanceof Vote.Low low) {
				highest = Math.max(highest, low.counter());
			}
			else if (vote instanceof Vote.Busy busy) {
				highest = Math.max(highest, busy.counter());
			}
		}
		return highest;
	}

	/**
	 * Return the tick that has run, if the wanted one has: where a majority says so, and
	 * nobody may still withdraw it, or all of them speak of one holder.
	 */
	Optional<Long> done() {
		Map<String, Integer> byHolder = new HashMap<>();
		for (Vote vote : this.votes) {
			if (vote instanceof Vote.Done done) {
				byHolder.merge(done.holder(), 1, Integer::sum);
			}
		}
		for (Map.Entry<String, Integer> entry : byHolder.entrySet()) {
			if (entry.getValue() >= this.quorum) {
				long least = leastTick(entry.getKey());
				// A tick before 1970 is a mark, which must not go back once it was
				// believed:
				// a holder may still withdraw it.
				if (entry.getKey().isEmpty() || least >= 0) {
					return Optional.of(least);
				}
			}
		}
		return Optional.empty();
	}

	private long leastTick(String holder) {
		long least = Long.MAX_VALUE;
		for (Vote vote : this.votes) {
			if (vote instanceof Vote.Done done && done.holder().equals(holder)) {
				least = Math.min(least, done.tick());
			}
		}
		return least;
	}

	/**
	 * Return the greatest tick that any node has named.
	 */
	long latestTick() {
		long latest = Long.MIN_VALUE;
		for (Vote vote : this.votes) {
			if (vote instanceof Vote.Done done) {
				latest = Math.max(latest, done.tick());
			}
		}
		return latest;
	}

	/**
	 * Return what is left until a majority of nodes is free, in ms, if one holder has a
	 * majority now; negative for ever.
	 */
	Optional<Long> restOfOneHolder() {
		Map<String, Integer> byHolder = new HashMap<>();
		for (Vote vote : this.votes) {
			if (vote instanceof Vote.Busy busy) {
				byHolder.merge(busy.holder(), 1, Integer::sum);
			}
		}
		for (Map.Entry<String, Integer> entry : byHolder.entrySet()) {
			if (entry.getValue() >= this.quorum) {
				return Optional.of(rest(entry.getKey(), entry.getValue()));
			}
		}
		return Optional.empty();
	}

	private long rest(String holder, int held) {
		long[] rests = new long[held];
		int next = 0;
		for (Vote vote : this.votes) {
			if (vote instanceof Vote.Busy busy && busy.holder().equals(holder)) {
				rests[next++] = (busy.restMillis() >= 0) ? busy.restMillis() : Long.MAX_VALUE;
			}
		}
		int missing = Math.max(1, this.quorum - mine());
		long rest = Nodes.smallest(Math.min(missing, held), rests);
		return (rest != Long.MAX_VALUE) ? rest : -1;
	}

	/**
	 * Return whether any node names a holder, a cooldown or a tick that stands in the
	 * way.
	 * @param leftovers short hashes of values that are no holder's
	 */
	boolean isHeldByAnother(Set<String> leftovers) {
		for (Vote vote : this.votes) {
			if (vote instanceof Vote.Busy busy && !leftovers.contains(busy.holder())
					|| vote instanceof Vote.Done done && !leftovers.contains(done.holder())) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether those who are silent could still make a majority speak of one
	 * holder.
	 */
	boolean canStillBeNamed() {
		Map<String, Integer> busy = new HashMap<>();
		Map<String, Integer> done = new HashMap<>();
		for (Vote vote : this.votes) {
			if (vote instanceof Vote.Busy one) {
				busy.merge(one.holder(), 1, Integer::sum);
			}
			else if (vote instanceof Vote.Done one) {
				done.merge(one.holder(), 1, Integer::sum);
			}
		}
		int most = 0;
		for (int number : busy.values()) {
			most = Math.max(most, number);
		}
		for (int number : done.values()) {
			most = Math.max(most, number);
		}
		return most + open() >= this.quorum;
	}

	boolean isNamed() {
		return done().isPresent() || restOfOneHolder().isPresent();
	}

}
