package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clocks that jump. A node with a clock that jumped alone does not vote for a time. If
 * the clocks of a majority jumped alike, our own stood still.
 */
class ClockJumpTests {

	private static final Duration JUMP = NodesFixture.TTL.plusSeconds(1);

	private final NodesFixture nodes = new NodesFixture(3);

	private final SteeredClient holder = this.nodes.client();

	private final SteeredClient other = this.nodes.client();

	@Test
	void nodeWhoseClockJumpedDoesNotVoteForALockThatItLostTooEarly() {
		this.holder.way(2).lose("acquire");
		this.holder.acquire();
		this.nodes.clock.advance(Duration.ofSeconds(1));

		this.nodes.jump(JUMP, 1);

		assertThat(this.other.attempt()).isNotInstanceOf(AttemptOutcome.Granted.class);
		assertThat(this.nodes.isQuarantined(1)).isTrue();
		assertThat(this.nodes.isQuarantined(0)).isFalse();
		assertThat(this.other.news).contains("clock of node1:6379 jumped");
		assertThat(this.holder.attempt()).isNotInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void nodeWhoseClockJumpedKeepsItsMarksAndVotesAgainAfterTheQuarantine() {
		LeaseGrant grant = this.holder.acquire();
		this.holder.release(grant);
		this.nodes.jump(JUMP, 1);
		this.other.attempt();

		this.nodes.clock.advance(this.nodes.settings.quarantine().plusSeconds(2));

		assertThat(this.nodes.state(1)).isInstanceOfSatisfying(NodeState.Voting.class,
				(state) -> assertThat(state.floor().token()).isGreaterThanOrEqualTo(grant.token().last()));
		this.other.way(0).lose("acquire");
		assertThat(this.other.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void nodeWhoseClockWentBackDoesNotVoteForATimeAndNoOtherClientIsGrantedTheLock() {
		LeaseGrant grant = this.holder.acquire();

		this.nodes.jump(JUMP.negated(), 1);

		assertThat(this.other.attempt()).isNotInstanceOf(AttemptOutcome.Granted.class);
		assertThat(this.nodes.isQuarantined(1)).isTrue();
		assertThat(this.other.news).contains("clock of node1:6379 jumped");
		assertThat(this.holder.release(grant)).isCompletedWithValue(true);
		assertThat(this.other.acquire().token().first()).isGreaterThan(grant.token().last());
	}

	@Test
	void locksAreReleasedAndTokensGrowWhereTheClocksOfAllNodesGoForwardAndBack() {
		long last = 0;
		for (Duration step : List.of(JUMP, JUMP.negated(), Duration.ofMinutes(-10), Duration.ofMinutes(10))) {
			this.nodes.jump(step, 0, 1, 2);
			assertThat(this.other.connection.find(NodesFixture.KEY)).isCompletedWithValue(Optional.empty());
			LeaseGrant grant = this.other.acquire();
			assertThat(grant.token().first()).isGreaterThan(last);
			last = grant.token().last();
			assertThat(this.other.release(grant)).isCompletedWithValue(true);
		}
	}

	@Test
	void leaseStandsAndExcludesOthersWhereTheClocksOfAllNodesGoBack() {
		LeaseGrant grant = this.holder.acquire();

		this.nodes.jump(Duration.ofMinutes(-10), 0, 1, 2);

		assertThat(this.other.attempt()).isInstanceOfSatisfying(AttemptOutcome.Busy.class,
				(busy) -> assertThat(busy.pollAfter()).isLessThanOrEqualTo(Duration.ofSeconds(6)));
		assertThat(this.holder.renew(grant)).isCompletedWithValueMatching(RenewalOutcome.Renewed.class::isInstance);
		assertThat(this.holder.losses).isEmpty();
		assertThat(this.holder.release(grant)).isCompletedWithValue(true);
	}

	@Test
	void renewalDoesNotCountANodeWhoseClockJumped() {
		this.holder.way(2).lose("acquire", "renew");
		LeaseGrant grant = this.holder.acquire();

		this.nodes.jump(Duration.ofSeconds(10), 1);

		CompletableFuture<RenewalOutcome> renewal = this.holder.renew(grant);
		this.nodes.clock.advance(this.nodes.settings.callTimeout());

		assertThat(renewal).isCompletedWithValueMatching(RenewalOutcome.Unknown.class::isInstance);
	}

	@Test
	void standStillOfTheOwnClockTouchesNoNodeAndLosesTheLeasesThatAreOver() {
		LeaseGrant grant = this.holder.acquire();

		this.nodes.jump(JUMP, 0, 1, 2);
		this.holder.attempt();

		assertThat(this.holder.losses).containsExactly(grant.ownerId());
		assertThat(this.holder.news).contains("own clock stood still");
		assertThat(this.nodes.isQuarantined(0) || this.nodes.isQuarantined(1) || this.nodes.isQuarantined(2)).isFalse();
	}

	@Test
	void standStillOfTheOwnClockSparesTheLeasesThatAreNotOver() {
		this.holder.acquire();

		this.nodes.jump(NodesFixture.TTL.dividedBy(2), 0, 1, 2);
		this.holder.attempt();

		assertThat(this.holder.losses).isEmpty();
		assertThat(this.holder.news).contains("own clock stood still");
	}

	@Test
	void slowAnswersAreNoJump() {
		this.holder.way(1).keepAnswers("acquire");
		this.holder.acquire();
		this.nodes.clock.advance(Duration.ofSeconds(20));

		this.holder.way(1).deliver();
		this.holder.attempt();

		assertThat(this.nodes.isQuarantined(1)).isFalse();
	}

}
