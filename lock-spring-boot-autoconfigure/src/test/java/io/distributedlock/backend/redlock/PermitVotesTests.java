package io.distributedlock.backend.redlock;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which votes of a round leave a permit for the attempt.
 */
class PermitVotesTests {

	@Test
	void acknowledgementsOfAMajorityThatNameFewerThanThePermitsAreEnough() {
		assertThat(leaveRoom(2, ack("a"), ack("a"), null)).isTrue();
		assertThat(leaveRoom(2, ack("a"), ack("b"), null)).isFalse();
		assertThat(leaveRoom(2, ack(), ack("b"), null)).isTrue();
		assertThat(leaveRoom(1, ack(), ack(), null)).isTrue();
	}

	@Test
	void anyMajorityWillDo() {
		assertThat(leaveRoom(2, ack("a"), ack("b"), ack("b"))).isTrue();
		assertThat(leaveRoom(3, ack("a"), ack("b"), ack("c"), full("a", "b", "c"), null)).isFalse();
		assertThat(leaveRoom(3, ack("a"), ack("b"), ack("c"), full("a", "b", "c"), ack("a", "b"))).isTrue();
	}

	@Test
	void whatACrashedAttemptHasLeftAtAMinorityTakesNoPermit() {
		assertThat(leaveRoom(1, ack(), full("ghost"), ack())).isTrue();
		assertThat(leaveRoom(2, ack("a"), ack("a"), ack("a", "ghost"))).isTrue();
	}

	@Test
	void otherVotesCountForNothing() {
		assertThat(leaveRoom(5, ack(), new NodeVote.Low(7), new NodeVote.Busy(1, 1, "x"))).isFalse();
		assertThat(leaveRoom(5, ack(), null, null)).isFalse();
	}

	@Test
	void allMajoritiesOfSevenNodesAreTried() {
		NodeVote[] votes = IntStream.range(0, 7)
			.mapToObj((node) -> (node % 2 == 0) ? ack("even") : ack("odd" + node))
			.toArray(NodeVote[]::new);

		assertThat(leaveRoom(2, votes)).isTrue();
		votes[6] = ack("other");
		assertThat(leaveRoom(2, votes)).isFalse();
	}

	@Test
	void permitsAreUsedUpIfAMajorityNamesEachOfAsManyOthers() {
		assertThat(areUsedUp(2, full("a", "b"), ack("a"), ack("b"))).isTrue();
		assertThat(areUsedUp(2, full("a", "b"), ack("a"), ack("c"))).isFalse();
		assertThat(areUsedUp(1, full("a"), full("b"), full("c"))).isFalse();
		assertThat(areUsedUp(1, full("a"), full("a"), null)).isTrue();
	}

	@Test
	void thousandMembersAtFiveNodesAreCountedInNoTime() {
		String[] all = IntStream.range(0, 1_023).mapToObj(Integer::toString).toArray(String[]::new);
		NodeVote[] votes = IntStream.range(0, 5).mapToObj((node) -> ack(all)).toArray(NodeVote[]::new);

		assertThat(leaveRoom(1_024, votes)).isTrue();
		assertThat(leaveRoom(1_023, votes)).isFalse();
	}

	private static boolean leaveRoom(int permits, NodeVote... votes) {
		return new PermitVotes(votes.length / 2 + 1, permits).leaveRoom(votes);
	}

	private static boolean areUsedUp(int permits, NodeVote... votes) {
		return new PermitVotes(votes.length / 2 + 1, permits).areUsedUp(votes);
	}

	private static NodeVote ack(String... others) {
		return new NodeVote.Ack(List.of(others));
	}

	private static NodeVote full(String... others) {
		return new NodeVote.Full(1, 1, Arrays.asList(others));
	}

}
