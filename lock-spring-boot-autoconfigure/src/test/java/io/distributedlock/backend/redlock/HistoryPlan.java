package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.TokenRange;

/**
 * The plan of a history: which faults may happen, and which part is broken on purpose.
 *
 * @param nodes the number of nodes
 * @param trouble the kinds of faults
 * @param usage how the clients use the keys
 * @param sabotage the part that is broken on purpose
 */
record HistoryPlan(int nodes, Trouble trouble, Usage usage, Sabotage sabotage) {

	/**
	 * Return how many calls each client makes at the same time.
	 */
	int callers() {
		return this.usage.hasGroups() ? 2 : 1;
	}

	/**
	 * Return the share of visits that take a lock away from its holders.
	 */
	double forceShare() {
		return this.usage.hasGroups() ? 0.002 : 0;
	}

	int keys() {
		if (this.usage.hasSets()) {
			return 3;
		}
		return this.usage.hasGroups() ? 1 : 2;
	}

	long thinkNanos() {
		return this.usage.hasGroups() ? 200_000_000 : 300_000_000;
	}

	double tickShare() {
		return 0.2;
	}

	int ticksLate() {
		return 10;
	}

	List<Duration> ttls() {
		return List.of(Duration.ofMillis(150), Duration.ofMillis(400), Duration.ofMillis(1000));
	}

	boolean countsFromTheAnswer() {
		return this.sabotage.countsFromTheAnswer();
	}

	TokenRange tokens(LeaseGrant grant) {
		return this.sabotage.tokens().apply(grant);
	}

	/**
	 * Kinds of faults in addition to those of the network.
	 */
	enum Trouble {

		/**
		 * Clients stall and nodes hang.
		 */
		STALLS,

		/**
		 * In addition, nodes restart with all, some or none of their data, or are
		 * emptied. At any time at most a minority has forgotten data.
		 */
		RESTARTS,

		/**
		 * Any number of nodes may restart or be emptied.
		 */
		CATASTROPHES,

		/**
		 * Clocks of nodes jump, locks expire early and nodes restart.
		 */
		BAD_CLOCKS;

		boolean locksLast() {
			return this != BAD_CLOCKS;
		}

	}

	/**
	 * The part that is broken on purpose.
	 *
	 * @param model creates the nodes
	 * @param wrap changes the messages that a client sends and receives
	 * @param meddler changes nodes behind the clients' backs
	 * @param countsFromTheAnswer whether holders count validity from the answer instead
	 * of the request
	 * @param tokens the tokens that holders use
	 */
	record Sabotage(Function<LongSupplier, NodeModel> model, Function<RedlockNode, RedlockNode> wrap, Meddler meddler,
			boolean countsFromTheAnswer, Function<LeaseGrant, TokenRange> tokens) {

		static final Meddler NOBODY = (nodes, index, settings) -> {
		};

		static Sabotage none() {
			return new Sabotage(NodeModel::new, Function.identity(), NOBODY, false, LeaseGrant::token);
		}

		Sabotage withModel(Function<LongSupplier, NodeModel> other) {
			return new Sabotage(other, this.wrap, this.meddler, this.countsFromTheAnswer, this.tokens);
		}

		Sabotage withWrap(Function<RedlockNode, RedlockNode> other) {
			return new Sabotage(this.model, other, this.meddler, this.countsFromTheAnswer, this.tokens);
		}

		Sabotage withMeddler(Meddler other) {
			return new Sabotage(this.model, this.wrap, other, this.countsFromTheAnswer, this.tokens);
		}

		Sabotage countingFromTheAnswer() {
			return new Sabotage(this.model, this.wrap, this.meddler, true, this.tokens);
		}

		Sabotage withTokens(Function<LeaseGrant, TokenRange> other) {
			return new Sabotage(this.model, this.wrap, this.meddler, this.countsFromTheAnswer, other);
		}

	}

	/**
	 * Changes the nodes every 20 ms.
	 */
	@FunctionalInterface
	interface Meddler {

		void meddle(List<SimulatedNode> nodes, int round, RedlockSettings settings);

	}

}
