package io.distributedlock.backend.redlock;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.History.Result;
import io.distributedlock.backend.redlock.HistoryPlan.Meddler;
import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;
import io.distributedlock.backend.redlock.HistoryPlan.Trouble;
import io.distributedlock.backend.redlock.NodeSession.ReleaseRequest;
import io.distributedlock.backend.redlock.NodeSession.VoteRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulation finds what goes wrong if a rule is left out.
 */
class BrokenProtocolTests {

	private static final int HISTORIES = Integer.getInteger("lock.test.redlock.broken-histories", 20_000);

	@Test
	void findsHighestOfIncrements() {
		assertFound("smaller tokens", Trouble.BAD_CLOCKS, (seed) -> {
			BrokenModels.Incrementing counters = new BrokenModels.Incrementing();
			return Sabotage.none().withModel(counters::node).withTokens(counters::tokens);
		});
	}

	@Test
	void findsAcknowledgementOfTokensThatAreTooLow() {
		assertFound("tokens", Trouble.BAD_CLOCKS, wrapped((node) -> ChangedNode.of(node)
			.withVotes((vote) -> (vote instanceof NodeVote.Low) ? new NodeVote.Ack() : vote)));
	}

	@Test
	void findsNodesThatVoteWithoutQuarantine() {
		assertFound("is valid", Trouble.RESTARTS,
				(seed) -> Sabotage.none().withModel(BrokenModels.WithoutQuarantine::new));
	}

	@Test
	void findsRecoveryBeforeTheQuarantineEnded() {
		Meddler impatient = (nodes, round, settings) -> nodes.forEach((node) -> recover(node, nodes, settings));

		assertFound("is valid", Trouble.RESTARTS, (seed) -> Sabotage.none().withMeddler(impatient));
	}

	@Test
	void findsQuarantinesThatCantBeDistinguished() {
		assertFound("is valid", Trouble.RESTARTS,
				(seed) -> Sabotage.none()
					.withWrap((node) -> ChangedNode.of(node).withStates(BrokenProtocolTests::withoutNonce))
					.withMeddler(wipeOnceMore()));
	}

	@Test
	void findsReleaseWithoutOwnerCheck() {
		assertFound("is valid", Trouble.STALLS,
				(seed) -> Sabotage.none().withModel(BrokenModels.WithoutOwnerCheck::new));
	}

	@Test
	void findsHoldersThatDoNotCountFromWhenTheySent() {
		assertFound("is valid", Trouble.STALLS, (seed) -> Sabotage.none().countingFromTheAnswer());
	}

	@Test
	void findsRenewalsThatReinstallUnasked() {
		assertFound("has been granted since", Trouble.BAD_CLOCKS,
				(seed) -> Sabotage.none().withModel(BrokenModels.RenewalThatReinstalls::new));
	}

	@Test
	void findsLocksOfLateMessagesThatCountForALease() {
		assertFound("has been granted since", Trouble.BAD_CLOCKS,
				(seed) -> Sabotage.none()
					.withModel(BrokenModels.WithoutCounters::new)
					.withMeddler(losingLocks(new SplittableRandom(seed))));
	}

	@Test
	void findsTicksForgottenByNodesThatRestarted() {
		assertFound("runs again", Trouble.STALLS,
				(seed) -> Sabotage.none()
					.withWrap((node) -> ChangedNode.of(node)
						.withAsks((request) -> new VoteRequest(request.state(), request.floor(), 0, request.keys(),
								request.value(), request.ttlMillis(), request.first(), request.span(), request.tick(),
								request.markMillis(), request.retentionMillis())))
					.withMeddler(BrokenProtocolTests::wipeAfterAMinorityWasAway));
	}

	@Test
	void findsTicksLostByVotesThatMayStillBeWithdrawn() {
		assertThat(lostTicks(Sabotage.none())).isZero();
		assertThat(lostTicks(Sabotage.none()
			.withWrap((node) -> ChangedNode.of(node)
				.withVotes(
						(vote) -> (vote instanceof NodeVote.Done done) ? new NodeVote.Done(done.tick(), "") : vote))))
			.isPositive();
	}

	@Test
	void findsTicksBurntBySplitVotes() {
		assertThat(
				lostTicks(
						Sabotage.none()
							.withWrap(
									(node) -> ChangedNode.of(node)
										.withReleases((release) -> new ReleaseRequest(release.keys(), release.value(),
												release.cooldownMillis(), null, release.notifiesWaiters())))))
			.isPositive();
	}

	private static long lostTicks(Sabotage sabotage) {
		long lost = 0;
		for (long seed = 0; seed < 300; seed++) {
			int runs = TickRace.run(seed, 3 + 2 * (int) (seed % 3), sabotage);
			assertThat(runs).as("runs of one tick, seed %d", seed).isLessThanOrEqualTo(1);
			lost += 1 - runs;
		}
		return lost;
	}

	private static LongFunction<Sabotage> wrapped(java.util.function.Function<RedlockNode, RedlockNode> wrap) {
		return (seed) -> Sabotage.none().withWrap(wrap);
	}

	private static void assertFound(String what, Trouble trouble, LongFunction<Sabotage> sabotage) {
		assertFound(what, trouble, Usage.EXCLUSIVE, sabotage);
	}

	static void assertFound(String what, Trouble trouble, Usage usage, LongFunction<Sabotage> sabotage) {
		int broken = 0;
		int run = 0;
		while (run < HISTORIES && broken == 0) {
			Result result = History.run(run, SimulationTests.plan(run, trouble, usage, sabotage.apply(run)));
			if (result.violations().stream().anyMatch((violation) -> violation.contains(what))) {
				broken++;
			}
			run++;
		}
		assertThat(broken).as("broken histories among %d", run).isPositive();
		System.out.println("'" + what + "' was found in history " + run);
	}

	private static String withoutNonce(String state) {
		return NodeState.parse(state)
			.map((read) -> (read instanceof NodeState.Quarantine quarantine)
					? new NodeState.Quarantine(quarantine.incarnation(), quarantine.configHash(), "same") : read)
			.orElseThrow()
			.literal();
	}

	/**
	 * Cut the last node off, and empty the first when it is back.
	 */
	private static void wipeAfterAMinorityWasAway(List<SimulatedNode> nodes, int round, RedlockSettings settings) {
		if (round < 20) {
			nodes.get(nodes.size() - 1).connections().forEach(Network.Connection::cut);
		}
		else if (round == 22) {
			nodes.get(0).model.wipe();
		}
	}

	/**
	 * Let locks expire early, again and again.
	 */
	static Meddler losingLocks(SplittableRandom random) {
		return (nodes, round, settings) -> {
			SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
			if (random.nextInt(3) == 0) {
				node.model.locks.clear();
				node.model.groups.sets.clear();
			}
		};
	}

	/**
	 * Empty the first node, and once more soon after it votes again. Grants that it votes
	 * for in between have no vote of the last node.
	 */
	private static Meddler wipeOnceMore() {
		int[] votingSince = { 0 };
		return (nodes, round, settings) -> {
			SimulatedNode node = nodes.get(0);
			if (round == 10) {
				node.model.wipe();
			}
			else if (round > 20 && votingSince[0] == 0 && node.votes()) {
				votingSince[0] = round;
			}
			if (votingSince[0] > 0 && round < votingSince[0] + 7) {
				nodes.get(nodes.size() - 1).connections().forEach(Network.Connection::cut);
			}
			else if (votingSince[0] > 0 && round == votingSince[0] + 7) {
				node.model.wipe();
			}
		};
	}

	private static void recover(SimulatedNode node, List<SimulatedNode> nodes, RedlockSettings settings) {
		NodeState state = (node.model.state != null) ? NodeState.parse(node.model.state).orElse(null) : null;
		if (!(state instanceof NodeState.Quarantine) || !node.isUp()) {
			return;
		}
		NodeHighWaterMark floor = NodeHighWaterMark.NONE;
		for (SimulatedNode other : nodes) {
			floor = floor.max(other.model.mark);
		}
		node.model.changeState(node.model.state,
				new NodeState.Voting(node.incarnation(), settings.configHash(), floor).literal(), floor);
	}

}
