package io.distributedlock.backend.redlock;

import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;
import io.distributedlock.backend.redlock.HistoryPlan.Trouble;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulation finds what goes wrong if a rule for groups is left out.
 */
class BrokenGroupProtocolTests {

	private static final int CONTROLS = Integer.getInteger("lock.test.redlock.controls", 2_000);

	private static final String OVERLAP = "is valid";

	private static final String TOO_MANY = "is one of more holders";

	private static final String TOKENS = "smaller tokens";

	private static final String RENEWED = "has been granted since";

	@Test
	void findsWritersThatIgnoreMembers() {
		assertFound(OVERLAP, Trouble.STALLS, Usage.READERS,
				Sabotage.none().withModel(BrokenGroupModels.WithoutGate::new));
	}

	@Test
	void findsReadersThatHoldWithOneNode() {
		assertFound(OVERLAP, Trouble.STALLS, Usage.READERS,
				Sabotage.none()
					.withWrap((node) -> node.name().equals("node0") ? node
							: withEntries(node, (vote) -> (vote instanceof NodeVote.Ack) ? vote : new NodeVote.Ack())));
	}

	@Test
	void findsAcknowledgementOfTokensThatAreTooLow() {
		assertFound(TOKENS, Trouble.BAD_CLOCKS, Usage.READERS, groups(BrokenGroupModels.WithoutCounter::new));
	}

	@Test
	void findsNodesThatVoteOnMembersWithoutQuarantine() {
		assertFound(OVERLAP, Trouble.RESTARTS, Usage.READERS, groups(BrokenGroupModels.WithoutQuarantine::new));
		assertFound(TOO_MANY, Trouble.RESTARTS, Usage.PERMITS, groups(BrokenGroupModels.WithoutQuarantine::new));
	}

	@Test
	void findsOneExpiryForAllMembers() {
		assertFound(OVERLAP, Trouble.STALLS, Usage.READERS, groups(BrokenGroupModels.OneExpiry::new));
	}

	@Test
	void findsKindsThatMix() {
		assertFound(OVERLAP, Trouble.STALLS, Usage.BOTH_KINDS, groups(BrokenGroupModels.MixedKinds::new));
	}

	@Test
	void findsCountsAtEachNodeIfFullNodesDoNotRefuse() {
		assertFound(TOO_MANY, Trouble.STALLS, Usage.PERMITS, groups(BrokenGroupModels.NeverFull::new)
			.withWrap((node) -> withEntries(node, BrokenGroupProtocolTests::counted)));
	}

	@Test
	void findsLocksThatEndBeforeAMember() {
		assertFound(OVERLAP, Trouble.STALLS, Usage.READERS, groups(BrokenGroupModels.ShortenedGate::new));
	}

	@Test
	void findsRenewalsThatLeaveTheLock() {
		assertFound(OVERLAP, Trouble.STALLS, Usage.READERS, groups(BrokenGroupModels.RenewalWithoutGate::new));
	}

	@Test
	void findsLocksThatAreShortenedToTheNextExpiry() {
		assertFound(OVERLAP, Trouble.STALLS, Usage.READERS, groups(BrokenGroupModels.LeastExpiry::new));
	}

	@Test
	void findsReleasesThatEndTheWholeGroup() {
		assertFound(OVERLAP, Trouble.STALLS, Usage.READERS, groups(BrokenGroupModels.AnyReleaseEndsTheGroup::new));
	}

	@Test
	void findsSetsThatEndBeforeTheLock() {
		assertFound(TOO_MANY, Trouble.STALLS, Usage.PERMITS, groups(BrokenGroupModels.SetThatEndsFirst::new));
	}

	@Test
	void findsMembersOfAnEndedGroupThatLiveOnInTheNextOne() {
		assertFound(RENEWED, Trouble.BAD_CLOCKS, Usage.READERS, groups(BrokenGroupModels.OldMembers::new));
	}

	@Test
	void findsRenewalsThatReinstallUnasked() {
		assertFound(RENEWED, Trouble.BAD_CLOCKS, Usage.READERS, groups(BrokenGroupModels.RenewalThatReinstalls::new));
	}

	@Test
	void findsMembersThatWerePutBackAndCountAtOnce() {
		assertFoundWhereLocksExpireEarly(BrokenGroupModels.ReinstalledCountsAtOnce::new);
	}

	@Test
	void findsMembersThatLateRequestsLeaveAlthoughTheirTokensAreTooLow() {
		assertFoundWhereLocksExpireEarly(BrokenGroupModels.EntryWithLowTokens::new);
	}

	@Test
	void findsNothingWhereLocksExpireEarlyIfAllRulesHold() {
		for (int seed = 0; seed < CONTROLS; seed++) {
			Sabotage expiries = Sabotage.none()
				.withMeddler(BrokenProtocolTests.losingLocks(new SplittableRandom(seed)));
			assertThat(History.run(seed, SimulationTests.plan(seed, Trouble.BAD_CLOCKS, Usage.READERS, expiries))
				.violations()).as("history with seed %d", seed).isEmpty();
		}
	}

	private static NodeVote counted(NodeVote vote) {
		if (vote instanceof NodeVote.Ack ack) {
			return (ack.others().size() < 2) ? new NodeVote.Ack() : new NodeVote.Full(1, 0, ack.others());
		}
		return vote;
	}

	private static ChangedNode withEntries(RedlockNode node, UnaryOperator<NodeVote> entries) {
		return ChangedNode.of(node).withEntries(entries);
	}

	private static Sabotage groups(Function<NodeModel, GroupModel> groups) {
		return Sabotage.none().withModel(BrokenGroupModels.nodesWith(groups));
	}

	private static void assertFoundWhereLocksExpireEarly(Function<NodeModel, GroupModel> groups) {
		BrokenProtocolTests.assertFound(RENEWED, Trouble.BAD_CLOCKS, Usage.READERS,
				(seed) -> groups(groups).withMeddler(BrokenProtocolTests.losingLocks(new SplittableRandom(seed))));
	}

	private static void assertFound(String what, Trouble trouble, Usage usage, Sabotage sabotage) {
		BrokenProtocolTests.assertFound(what, trouble, usage, (seed) -> sabotage);
	}

}
