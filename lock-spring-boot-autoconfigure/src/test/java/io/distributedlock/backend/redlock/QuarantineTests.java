package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.QuarantineException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes that may have forgotten their locks do not vote until every lease is over that
 * they may have voted for. Then they vote for greater tokens only.
 */
class QuarantineTests {

	private static final Duration LOOK = Duration.ofSeconds(2);

	private final NodesFixture nodes = new NodesFixture(3);

	private final SteeredClient client = this.nodes.client();

	@Test
	void nodeThatWasEmptiedDoesNotVoteUntilTheQuarantineIsOver() {
		this.nodes.flush(0);
		this.client.acquire();
		assertThat(this.nodes.isQuarantined(0)).isTrue();

		this.nodes.clock.advance(this.nodes.settings.quarantine().minusSeconds(1));
		assertThat(this.nodes.isQuarantined(0)).isTrue();
		this.nodes.clock.advance(LOOK);

		assertThat(this.nodes.isQuarantined(0)).isFalse();
		assertThat(this.client.news).containsSubsequence("node0:6379 is in quarantine", "node0:6379 votes");
		assertThat(this.client.news).doesNotContain("floor of node0:6379 is estimated");
	}

	@Test
	void nodeThatRestartedWithItsDataIsInQuarantineToo() {
		this.nodes.node(0).restart(false);

		this.nodes.clock.advance(LOOK);

		assertThat(this.nodes.isQuarantined(0)).isTrue();
		assertThat(this.client.news).containsSubsequence("node0:6379 is down", "node0:6379 is in quarantine");
	}

	@Test
	void quarantineThatBeganAnewIsNotOverWithTheFirst() {
		this.nodes.flush(0);
		this.client.acquire();
		this.nodes.clock.advance(this.nodes.settings.quarantine().minusSeconds(10));
		this.nodes.flush(0);

		this.nodes.clock.advance(Duration.ofSeconds(20));

		assertThat(this.nodes.isQuarantined(0)).isTrue();
	}

	@Test
	void clientThatSawOnlyTheEndOfTheQuarantineDoesNotEndIt() {
		this.nodes.flush(0);
		this.client.acquire();
		this.client.connection.close();
		this.nodes.clock.advance(this.nodes.settings.quarantine().minusSeconds(5));
		this.nodes.client();

		this.nodes.clock.advance(Duration.ofSeconds(30));

		assertThat(this.nodes.isQuarantined(0)).isTrue();
	}

	@Test
	void floorIsAboveAllThatTheNodeMayHaveForgotten() {
		this.client.way(2).lose("acquire");
		LeaseGrant forgotten = this.client.acquire(5);
		this.client.release(forgotten);
		this.nodes.flush(0);
		this.client.begin();
		this.nodes.clock.advance(this.nodes.settings.quarantine().plus(LOOK));

		assertThat(this.nodes.state(0)).isInstanceOfSatisfying(NodeState.Voting.class,
				(state) -> assertThat(state.floor().token()).isGreaterThanOrEqualTo(forgotten.token().last()));
		assertThat(this.nodes.model(0).mark.token()).isGreaterThanOrEqualTo(forgotten.token().last());
	}

	@Test
	void tokensGoOnGrowingWhereOnlyTheFloorRemembersTheGreatest() {
		assertThat(stepWhereOnlyTheFloorRemembers(UnaryOperator.identity())).isPositive();
		assertThat(stepWhereOnlyTheFloorRemembers(QuarantineTests::withoutFloor)).isNegative();
	}

	/**
	 * Return by how much tokens have grown after the node with the greatest one was
	 * emptied and has recovered.
	 * @param states changes the states that are written to the nodes
	 */
	private static long stepWhereOnlyTheFloorRemembers(UnaryOperator<String> states) {
		NodesFixture nodes = new NodesFixture(3, (node) -> ChangedNode.of(node).withStates(states));
		SteeredClient client = nodes.client();
		client.way(2).lose("acquire");
		LeaseGrant forgotten = client.acquire();
		client.release(forgotten);
		nodes.flush(0);
		client.begin();
		nodes.clock.advance(nodes.settings.quarantine().plus(LOOK));
		assertThat(nodes.isQuarantined(0)).isFalse();
		// By the clocks, tokens would be smaller now.
		nodes.jump(Duration.ofMinutes(-20), 0, 1, 2);
		SteeredClient other = nodes.client();
		other.way(1).lose("acquire");

		return other.acquire().token().first() - forgotten.token().last();
	}

	private static String withoutFloor(String state) {
		return NodeState.parse(state)
			.map((read) -> (read instanceof NodeState.Voting voting)
					? new NodeState.Voting(voting.incarnation(), voting.configHash(), NodeHighWaterMark.NONE) : read)
			.orElseThrow()
			.literal();
	}

	@Test
	void nodeThatForgotDoesNotSayWhetherATickHasRunThatItMayHaveForgotten() {
		Instant tick = Instant.ofEpochMilli(this.nodes.micros() / 1000);
		this.client.way(2).lose("acquire");
		assertThat(this.client.attempt(SteeredClient.request(1, tick))).isInstanceOf(AttemptOutcome.Granted.class);
		this.nodes.flush(0);
		this.client.begin();
		this.nodes.clock.advance(this.nodes.settings.quarantine().plus(LOOK));
		SteeredClient other = this.nodes.client();
		other.way(1).lose("acquire");

		assertThat(other.attempt(SteeredClient.request(1, tick))).isInstanceOf(AttemptOutcome.Unavailable.class);
		assertThat(other.attempt(SteeredClient.request(1, tick.plusMillis(1))))
			.isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void markBefore1970IsWrittenAnewAtNodesThatMayHaveForgottenIt() {
		Instant tick = Instant.ofEpochMilli(this.nodes.micros() / 1000);
		Instant mark = Instant.ofEpochMilli(-7);
		this.client.way(2).lose("acquire");
		AttemptOutcome outcome = this.client.attempt(SteeredClient.request(1, tick));
		this.client.release(((AttemptOutcome.Granted) outcome).grant());
		this.nodes.flush(0);
		this.client.begin();
		this.nodes.clock.advance(this.nodes.settings.quarantine().plus(LOOK));
		SteeredClient other = this.nodes.client();
		other.way(1).lose("acquire");

		outcome = other.attempt(SteeredClient.request(1, mark));
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
		other.release(((AttemptOutcome.Granted) outcome).grant());

		assertThat(other.attempt(SteeredClient.request(1, mark))).isEqualTo(new AttemptOutcome.Done(mark));
		assertThat(this.nodes.model(2).mark.tick()).as("what the node must remember of ticks").isZero();
	}

	@Test
	void tickThatWouldKeepNodesFromVotingForLongIsRefused() {
		Instant tick = Instant.ofEpochMilli(this.nodes.micros() / 1000).plus(Duration.ofDays(2));

		AttemptOutcome outcome = this.client.attempt(SteeredClient.request(1, tick));

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
			assertThat(unavailable.cause()).isInstanceOf(InvalidLockRequestException.class)
				.hasMessageContaining("ahead of the nodes' time");
			assertThat(unavailable.sent()).isFalse();
		});
		assertThat(this.nodes.model(0).mark.tick()).isZero();
	}

	@Test
	void nodeStaysInQuarantineWhileFewerThanAMajorityOfOthersCanBeRead() {
		this.client.way(1).lose("highWaterMark");
		this.nodes.flush(0);
		this.client.acquire();

		this.nodes.clock.advance(this.nodes.settings.quarantine().plusSeconds(30));
		assertThat(this.nodes.isQuarantined(0)).isTrue();
		this.client.way(1).clear();
		this.nodes.clock.advance(LOOK);

		assertThat(this.nodes.isQuarantined(0)).isFalse();
	}

	@Test
	void nodeStaysInQuarantineWhileAnotherIsDown() {
		this.nodes.flush(0);
		this.client.acquire();
		this.nodes.node(1).stop();

		this.nodes.clock.advance(this.nodes.settings.quarantine().plusSeconds(30));

		assertThat(this.nodes.isQuarantined(0)).isTrue();
		assertThat(this.client.news).doesNotContain("floor of node0:6379 is estimated");
	}

	@Test
	void floorIsEstimatedByTheClocksAndReportedIfAMajorityHasForgotten() {
		this.nodes.flush(0);
		this.nodes.flush(1);
		this.client.begin();
		this.nodes.clock.advance(this.nodes.settings.quarantine().plus(LOOK));

		long micros = this.nodes.micros();

		assertThat(this.client.news).containsAnyOf("floor of node0:6379 is estimated",
				"floor of node1:6379 is estimated");
		assertThat(this.nodes.state(0)).isInstanceOfSatisfying(NodeState.Voting.class,
				(state) -> assertThat(state.floor().token()).isBetween(micros - LOOK.toMillis() * 1000,
						micros + Duration.ofSeconds(5).toMillis() * 1000));
		assertThat(this.client.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void tooFewNodesThatVoteAreUnavailableAndSayUntilWhen() {
		this.nodes.flush(0);
		this.nodes.flush(1);

		AttemptOutcome first = this.client.attempt();
		AttemptOutcome second = this.client.attempt();

		assertThat(first).isInstanceOf(AttemptOutcome.Unavailable.class);
		assertThat(second).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.cause()).isInstanceOf(QuarantineException.class)
					.hasMessageContaining("enough of them vote again in PT1M1.3S at the earliest"));
	}

	@Test
	void clientsThatDisagreeOnTheLongestTtlDoNotMix() {
		String before = this.nodes.node(0).state();

		SteeredClient other = this.nodes.clientWithMaxTtl(Duration.ofSeconds(90));

		assertThat(other.attempt()).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.cause())
					.hasMessageContaining("another list of nodes, longest ttl or retention of tokens"));
		assertThat(this.nodes.node(0).state()).isEqualTo(before);
		assertThat(this.client.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void nodeThatBecameAReplicaIsNotUsed() {
		this.nodes.node(0).becomeReplica();

		this.nodes.clock.advance(Duration.ofSeconds(6));

		assertThat(this.client.news).contains("node0:6379 is refused");
		int before = this.nodes.node(0).acquires;
		this.client.acquire();
		assertThat(this.nodes.node(0).acquires).isEqualTo(before);
	}

}
