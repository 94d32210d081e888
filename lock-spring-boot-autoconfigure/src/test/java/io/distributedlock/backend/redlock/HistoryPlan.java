package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.TokenRange;

/**
 * What may happen in a history, and what is broken on purpose in it.
 *
 * @param nodes how many nodes there are
 * @param trouble what goes wrong
 * @param sabotage what is broken on purpose
 */
record HistoryPlan(int nodes, Trouble trouble, Sabotage sabotage) {

	int keys() {
		return 2;
	}

	long thinkNanos() {
		return 300_000_000;
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
	 * What goes wrong beside the network.
	 */
	enum Trouble {

		/**
		 * Clients stall and nodes hang.
		 */
		STALLS,

		/**
		 * Besides, nodes restart, with all, some or none of their data, or are emptied;
		 * never so many that a majority has forgotten something at the same time.
		 */
		RESTARTS,

		/**
		 * Any number of nodes may do so.
		 */
		CATASTROPHES,

		/**
		 * Clocks of nodes jump, and locks run out before their time; and nodes restart.
		 */
		BAD_CLOCKS;

		boolean locksLast() {
			return this != BAD_CLOCKS;
		}

	}

	/**
	 * What is broken on purpose.
	 *
	 * @param model makes the nodes
	 * @param wrap changes what a client sends and hears
	 * @param meddler does something to nodes beside the clients
	 * @param countsFromTheAnswer whether holders do not count validity from when they
	 * sent
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
	 * Does something to the nodes each 20 ms.
	 */
	@FunctionalInterface
	interface Meddler {

		void meddle(List<SimulatedNode> nodes, int round, RedlockSettings settings);

	}

}
