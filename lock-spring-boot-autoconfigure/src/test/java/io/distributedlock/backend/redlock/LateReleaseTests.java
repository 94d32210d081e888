package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes that receive the end of a lease or an attempt late keep nothing of it.
 */
class LateReleaseTests {

	private final NodesFixture nodes = new NodesFixture(3);

	private final SteeredClient holder = this.nodes.client();

	private final SteeredClient other = this.nodes.client();

	@Test
	void nodesThatLearnOfTheReleaseLaterLetTheLockGo() {
		LeaseGrant grant = this.holder.acquire();
		this.holder.way(1).lose("release");
		this.holder.way(2).lose("release");
		this.holder.release(grant);

		this.holder.way(1).cut();
		this.holder.way(2).cut();
		this.nodes.clock.advance(Duration.ofSeconds(5));

		assertThat(this.other.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void nodesThatLearnOfTheReleaseLaterKeepTheRestOfTheCooldown() {
		LeaseGrant grant = this.holder.acquire();
		this.holder.way(1).lose("release");
		this.holder.way(2).lose("release");
		this.holder.release(grant, Duration.ofSeconds(20));

		this.holder.way(1).cut();
		this.holder.way(2).cut();
		this.nodes.clock.advance(Duration.ofSeconds(5));

		assertThat(this.other.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
		this.nodes.clock.advance(Duration.ofSeconds(15).plusMillis(1));
		assertThat(this.other.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void attemptThatIsRefusedLeavesNothingAtTheNodesThatVotedForIt() {
		this.holder.way(2).lose("acquire");
		this.holder.acquire();

		assertThat(this.other.attempt()).isInstanceOf(AttemptOutcome.Busy.class);

		assertThat(this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void releaseBehindAVoteThatComesLateIsNotSentAgain() {
		this.nodes.node(2).holdBack();
		LeaseGrant grant = this.holder.acquire();
		this.holder.release(grant);

		this.nodes.node(2).goOn();

		assertThat(this.nodes.hasLock(2)).isFalse();
		assertThat(this.nodes.node(2).releases).isEqualTo(1);
	}

	@Test
	void releaseThatANodeDidNotExecuteIsSentAgainWithinThreeSeconds() {
		this.holder.way(2).lose("acquire");
		this.holder.acquire();
		this.nodes.node(2).holdBack();
		// The release that follows the refused attempt does not arrive.
		this.other.way(2).lose("release");
		this.other.begin();
		this.other.way(2).clear();
		this.nodes.node(2).goOn();
		assertThat(this.nodes.hasLock(2)).isTrue();

		this.nodes.clock.advance(Duration.ofSeconds(3));

		assertThat(this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void requestThatIsExecutedAfterItsConnectionWasGoneIsGivenBackWithinTwoSeconds() {
		this.holder.way(2).lose("acquire");
		this.holder.acquire();
		this.nodes.node(2).holdBack();
		this.other.begin();
		this.other.way(2).cut();
		this.nodes.node(2).dropLast();
		this.nodes.clock.advance(Duration.ofMillis(100));

		this.nodes.node(2).goOn();
		assertThat(this.nodes.hasLock(2)).isTrue();
		this.nodes.clock.advance(Duration.ofSeconds(2));

		assertThat(this.nodes.hasLock(2)).isFalse();
	}

	/**
	 * Of two threads that release, one may receive from a node that the lock is gone
	 * before the other has recorded that the same node released it.
	 */
	@Test
	void releaseIsDecidedByWhatAnotherOneOfTheSameLeaseHearsLater() {
		this.nodes.node(2).stop();
		this.holder.way(2).cut();
		LeaseGrant grant = this.holder.acquire();
		this.holder.way(0).keepAnswers("release");
		CompletableFuture<Boolean> first = this.holder.release(grant);
		this.holder.way(0).pass();

		CompletableFuture<Boolean> second = this.holder.release(grant);

		assertThat(first).isNotDone();
		assertThat(second).isNotDone();
		this.holder.way(0).deliver();
		assertThat(List.of(first, second)).allMatch(CompletableFuture::isDone)
			.extracting(CompletableFuture::join)
			.containsExactlyInAnyOrder(true, false);
	}

	@Test
	void releaseOfALeaseThatStoodAtTooFewNodesIsNotDecidedWhereNothingMoreWillBecomeKnown() {
		LeaseGrant grant = this.holder.acquire();
		this.nodes.lose(0);
		this.nodes.node(2).stop();
		this.holder.way(2).cut();

		assertThat(this.holder.release(grant)).isCompletedExceptionally();
	}

	@Test
	void leaseIsReleasedAlsoAtNodesThatHaveNotAnswered() {
		this.nodes.node(2).holdBack();
		LeaseGrant grant = this.holder.acquire();

		this.holder.release(grant);
		this.nodes.node(2).goOn();

		assertThat(this.nodes.hasLock(2)).isFalse();
	}

}
