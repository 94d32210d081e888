package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requests, proposals and outcomes of one attempt.
 */
class RedlockAttemptTests {

	private static final long SECOND = 1_000_000;

	private final NodesFixture nodes = new NodesFixture(3);

	private final SteeredClient client = this.nodes.client();

	private final SteeredClient other = this.nodes.client();

	@Test
	void oneRequestToEachNodeAcquiresAndOneReleases() {
		this.client.release(this.client.acquire());

		assertThat(this.nodes.nodes).allMatch((node) -> node.acquires == 1 && node.releases == 1);
	}

	@Test
	void nodesThatAreSlowAreNotWaitedFor() {
		this.nodes.node(2).holdBack();

		CompletableFuture<AttemptOutcome> attempt = this.client.begin();

		assertThat(attempt).isCompletedWithValueMatching(AttemptOutcome.Granted.class::isInstance);
	}

	@Test
	void validityCountsFromBeforeTheRequestsWereSent() {
		this.client.way(1).keepAnswers("acquire");
		this.client.way(2).lose("acquire");
		CompletableFuture<AttemptOutcome> attempt = this.client.begin();
		long sentAt = this.nodes.clock.nanoTime();

		this.nodes.clock.advance(Duration.ofMillis(40));
		this.client.way(1).deliver();

		assertThat(attempt).isCompletedWithValueMatching((outcome) -> ((AttemptOutcome.Granted) outcome).grant()
			.validUntil() == sentAt + NodesFixture.TTL.toNanos() - Duration.ofMillis(302).toNanos());
	}

	@Test
	void tokenThatIsTooLowCostsASecondRoundUnderTheSameOwnerId() {
		for (int i = 0; i < 3; i++) {
			this.nodes.count(i, this.nodes.micros() + SECOND / 2);
		}
		long seen = this.nodes.micros() + SECOND / 2;

		LeaseGrant grant = this.client.acquire();

		assertThat(grant.token().first()).isEqualTo(seen + 1);
		assertThat(this.nodes.nodes).allMatch((node) -> node.acquires == 2 && node.releases == 0);
	}

	@Test
	void whatWasSeenOfAKeySparesItTheSecondRound() {
		this.client.release(this.client.acquire());
		this.nodes.jump(Duration.ofSeconds(-5), 0, 1, 2);

		this.client.acquire();

		assertThat(this.nodes.nodes).allMatch((node) -> node.acquires == 2);
	}

	@Test
	void counterOfOneNodeDoesNotTakeTheProposalsAlong() {
		this.nodes.count(2, this.nodes.micros() + 86_400 * SECOND);
		this.client.release(this.client.acquire());

		LeaseGrant grant = this.client.acquire();

		assertThat(grant.token().first()).isLessThan(this.nodes.micros() + SECOND);
	}

	@Test
	void clockOfOneNodeDoesNotTakeTheProposalsAlong() {
		NodesFixture apart = new NodesFixture(3);
		apart.jump(Duration.ofDays(1), 2);

		LeaseGrant grant = apart.client().acquire();

		assertThat(grant.token().first()).isLessThan(apart.micros() + SECOND);
	}

	@Test
	void oneTokenAtATimeIsAskedForWhileTokensAreAheadOfTime() {
		assertThat(this.client.acquire(100).token().count()).isEqualTo(100);
		this.nodes.clock.advance(NodesFixture.TTL);
		for (int i = 0; i < 3; i++) {
			this.nodes.count(i, this.nodes.micros() + 10 * SECOND);
		}

		assertThat(this.other.acquire(100).token().count()).isOne();
	}

	@Test
	void lockThatAMajorityKeepsForOneHolderIsBusyForItsRest() {
		this.client.acquire();
		this.nodes.clock.advance(Duration.ofSeconds(10));

		assertThat(this.other.attempt()).isInstanceOfSatisfying(AttemptOutcome.Busy.class,
				(busy) -> assertThat(busy.retryAfter()).isEqualTo(NodesFixture.TTL.minusSeconds(10)));
	}

	@Test
	void splitVoteIsBusyWithoutARestAndSoonTriedAgain() {
		this.client.way(1).lose("acquire");
		this.client.way(2).lose("acquire");
		SteeredClient third = this.nodes.client();
		this.client.begin();
		third.way(0).lose("acquire");
		third.way(2).lose("acquire");
		third.begin();

		AttemptOutcome outcome = this.other.attempt();

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Busy.class, (busy) -> {
			assertThat(busy.retryAfter()).isNull();
			assertThat(busy.pollAfter()).isLessThanOrEqualTo(Duration.ofMillis(50));
		});
	}

	@Test
	void attemptThatMeetsARefusedOneBeforeItsEndIsKnownIsSplitIfAnotherNodeIsDown() {
		this.nodes.node(2).stop();
		refuseAttemptAndHoldBackItsRelease();

		assertThat(this.other.attempt()).isInstanceOfSatisfying(AttemptOutcome.Busy.class, (busy) -> {
			assertThat(busy.retryAfter()).isNull();
			assertThat(busy.pollAfter()).isLessThanOrEqualTo(Duration.ofMillis(50));
		});

		this.client.way(0).deliver();
		assertThat(this.other.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void attemptThatMeetsARefusedOneBeforeItsEndIsKnownIsGrantedByTheOtherNodes() {
		refuseAttemptAndHoldBackItsRelease();

		assertThat(this.other.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	/**
	 * Let a client and a third one split the votes, and let the first node not know yet
	 * that the client's attempt has ended.
	 */
	private void refuseAttemptAndHoldBackItsRelease() {
		SteeredClient third = this.nodes.client();
		third.way(0).lose("acquire");
		third.way(2).lose("acquire");
		third.begin();
		this.client.way(2).lose("acquire");
		this.client.way(0).keepRequests("release");
		assertThat(this.client.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
		this.nodes.clock.advance(Duration.ofMillis(50));
		assertThat(this.nodes.hasLock(0)).isTrue();
		assertThat(this.nodes.hasLock(1)).isFalse();
	}

	@Test
	void busyNodeAmongSilentOnesIsUnavailableAndNotBusy() {
		this.client.acquire();
		this.other.way(1).lose("acquire");
		this.other.way(2).lose("acquire");

		assertThat(this.other.attempt()).isInstanceOf(AttemptOutcome.Unavailable.class);
	}

	@Test
	void keyWithoutAHolderIsNotBusyWhereNodesKeepRefusingTheTokens() {
		NodesFixture stubborn = new NodesFixture(3, (node) -> ChangedNode.of(node)
			.withVotes((vote) -> (vote instanceof NodeVote.Ack) ? new NodeVote.Low(this.nodes.micros()) : vote));

		assertThat(stubborn.client().attempt()).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("another holder"));
	}

	@Test
	void keyWithoutAHolderIsGrantedWhereTheClocksOfTwoNodesAreHoursApartAndTheThirdIsSilent() {
		NodesFixture apart = new NodesFixture(3);
		apart.jump(Duration.ofHours(2), 1);
		SteeredClient first = apart.client();
		first.way(2).lose("acquire");

		assertThat(first.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void keyIsNotBusyWhereANodeStillKeepsItForAnEarlierAttemptOfTheSameClient() {
		leaveEarlierAttemptAtTheFirstNode();
		this.client.way(2).lose("acquire");

		assertThat(this.client.attempt()).isInstanceOf(AttemptOutcome.Unavailable.class);
	}

	@Test
	void keyIsBusyWhereAnotherClientHasOneVoteAndAnEarlierAttemptOfTheSameClientAnother() {
		leaveEarlierAttemptAtTheFirstNode();
		this.other.way(0).lose("acquire");
		this.other.way(2).lose("acquire");
		this.other.begin();

		assertThat(this.client.attempt()).isInstanceOf(AttemptOutcome.Busy.class);
	}

	/**
	 * Let a node execute an attempt after it has ended and its connection is gone.
	 */
	private void leaveEarlierAttemptAtTheFirstNode() {
		this.client.way(1).lose("acquire");
		this.client.way(2).lose("acquire");
		this.nodes.node(0).holdBack();
		assertThat(this.client.attempt()).isInstanceOf(AttemptOutcome.Unavailable.class);
		this.client.way(0).cut();
		this.nodes.node(0).dropLast();
		this.nodes.clock.advance(Duration.ofMillis(100));
		this.nodes.node(0).goOn();
		assertThat(this.nodes.hasLock(0)).isTrue();
		this.client.way(1).clear();
		this.client.way(2).clear();
	}

	@Test
	void grantThatArrivesWhenItWouldBeOverIsNoneAndIsGivenBack() {
		for (int i = 0; i < 3; i++) {
			this.client.way(i).keepAnswers("acquire");
		}
		CompletableFuture<AttemptOutcome> attempt = this.client.begin(new LeaseRequest(OwnerId.random(),
				Duration.ofMillis(30), 1, null, false, Duration.ofSeconds(2), Duration.ZERO));

		this.nodes.clock.advance(Duration.ofMillis(28));
		for (int i = 0; i < 3; i++) {
			this.client.way(i).deliver();
		}

		assertThat(attempt).isCompletedWithValueMatching(AttemptOutcome.Unavailable.class::isInstance);
		assertThat(this.nodes.hasLock(0) || this.nodes.hasLock(1) || this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void attemptEndsWithinItsTimeoutAndIsGivenBack() {
		for (int i = 0; i < 3; i++) {
			this.client.way(i).keepAnswers("acquire");
		}
		Duration timeout = this.nodes.settings.nodeTimeout().dividedBy(2);
		CompletableFuture<AttemptOutcome> attempt = this.client
			.begin(new LeaseRequest(OwnerId.random(), NodesFixture.TTL, 1, null, false, timeout, Duration.ZERO));

		this.nodes.clock.advance(timeout);

		assertThat(attempt).isCompletedWithValueMatching(
				(outcome) -> outcome instanceof AttemptOutcome.Unavailable unavailable && unavailable.sent());
		for (int i = 0; i < 3; i++) {
			this.client.way(i).deliver();
		}
		assertThat(this.nodes.hasLock(0) || this.nodes.hasLock(1) || this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void freeLockIsGrantedIfAVoteIsMissingAndTheNodesHaveSeenDifferentTokens() {
		for (int i = 0; i < 3; i++) {
			this.nodes.count(i, this.nodes.micros() + (i + 1) * SECOND);
			this.client.way(i).keepAnswers("acquire");
		}
		CompletableFuture<AttemptOutcome> attempt = this.client.begin();
		this.client.way(0).deliver();
		this.client.way(1).lose("acquire");
		this.client.way(1).deliver();
		this.client.way(2).deliver();

		this.nodes.clock.advance(Duration.ofMillis(1));

		assertThat(attempt).isCompletedWithValueMatching(AttemptOutcome.Granted.class::isInstance);
	}

	@Test
	void tickThatOneNodeKnowsOfIsNotDone() {
		Instant tick = Instant.ofEpochMilli(this.nodes.micros() / 1000);
		synchronized (this.nodes.node(2)) {
			this.nodes.model(2)
				.setCounter(NodesFixture.KEY,
						new NodeModel.Counter(this.nodes.micros() - SECOND, 1, tick.toEpochMilli(), null, false),
						3_600_000);
		}
		this.client.way(0).lose("acquire");

		assertThat(this.client.attempt(SteeredClient.request(1, tick))).isInstanceOf(AttemptOutcome.Busy.class);
		this.client.way(0).clear();

		assertThat(this.client.attempt(SteeredClient.request(1, tick))).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void tickOfALeaseHasRunAlsoAfterItsRelease() {
		Instant tick = Instant.ofEpochMilli(this.nodes.micros() / 1000);
		AttemptOutcome.Granted granted = (AttemptOutcome.Granted) this.client.attempt(SteeredClient.request(1, tick));
		assertThat(this.other.attempt(SteeredClient.request(1, tick))).isEqualTo(new AttemptOutcome.Done(tick));

		this.client.release(granted.grant());

		assertThat(this.other.attempt(SteeredClient.request(1, tick))).isEqualTo(new AttemptOutcome.Done(tick));
		assertThat(this.other.attempt(SteeredClient.request(1, tick.plusMillis(1))))
			.isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void tickOfAnAttemptThatWasRefusedMayStillRun() {
		Instant tick = Instant.ofEpochMilli(this.nodes.micros() / 1000);
		this.client.way(2).lose("acquire");
		LeaseGrant grant = this.client.acquire();
		assertThat(this.other.attempt(SteeredClient.request(1, tick))).isInstanceOf(AttemptOutcome.Busy.class);
		this.client.release(grant);

		// Needs the node that had acknowledged the tick.
		this.other.way(0).lose("acquire");
		assertThat(this.other.attempt(SteeredClient.request(1, tick))).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void latestTickThatAnyNodeHasNamedIsReturnedBesideTheOneOfAMajority() {
		Instant tick = Instant.ofEpochMilli(this.nodes.micros() / 1000);
		this.client.release(((AttemptOutcome.Granted) this.client.attempt(SteeredClient.request(1, tick))).grant());
		synchronized (this.nodes.node(0)) {
			this.nodes.model(0)
				.setCounter(NodesFixture.KEY,
						new NodeModel.Counter(this.nodes.micros(), 1, tick.toEpochMilli() + 1, null, false), 3_600_000);
		}
		this.other.way(2).lose("acquire");

		assertThat(this.other.attempt(SteeredClient.request(1, tick)))
			.isEqualTo(new AttemptOutcome.Done(tick, tick.plusMillis(1)));
	}

	@Test
	void markThatMayStillBeWithdrawnIsNotBelieved() {
		Instant mark = Instant.ofEpochMilli(-5);
		for (int i = 0; i < 2; i++) {
			synchronized (this.nodes.node(i)) {
				this.nodes.model(i).setLock(NodesFixture.KEY, "attempt", 10_000);
				this.nodes.model(i)
					.setCounter(NodesFixture.KEY,
							new NodeModel.Counter(this.nodes.micros(), 1, mark.toEpochMilli(), null, true), 3_600_000);
			}
		}

		assertThat(this.other.attempt(SteeredClient.request(1, mark))).isNotInstanceOf(AttemptOutcome.Done.class);
	}

	@Test
	void tickThatMayStillBeWithdrawnIsNotNamedToRequestsForTheOneBefore() {
		Instant tick = Instant.ofEpochMilli(this.nodes.micros() / 1000);
		this.client.release(((AttemptOutcome.Granted) this.client.attempt(SteeredClient.request(1, tick))).grant());
		for (int i = 0; i < 2; i++) {
			synchronized (this.nodes.node(i)) {
				this.nodes.model(i).setLock(NodesFixture.KEY, "attempt-" + i, 10_000);
				this.nodes.model(i)
					.setCounter(NodesFixture.KEY, new NodeModel.Counter(this.nodes.micros(), 1, tick.toEpochMilli() + 1,
							tick.toEpochMilli(), true), 3_600_000);
			}
		}

		assertThat(this.other.attempt(SteeredClient.request(1, tick))).isEqualTo(new AttemptOutcome.Done(tick));
	}

}
