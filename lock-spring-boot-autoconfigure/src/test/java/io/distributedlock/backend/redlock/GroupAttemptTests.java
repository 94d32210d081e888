package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Attempts to enter a group at three nodes, and attempts that meet one.
 */
class GroupAttemptTests {

	private final NodesFixture nodes = new NodesFixture(3);

	private final SteeredClient first = this.nodes.client();

	private final SteeredClient second = this.nodes.client();

	private final SteeredClient third = this.nodes.client();

	@Test
	void readersWhoseMessagesCrossAreBothGranted() {
		this.first.way(0).keepRequests("enter");
		this.first.way(1).keepRequests("enter");
		CompletableFuture<AttemptOutcome> late = this.first.begin(LockMode.SHARED, SteeredClient.request(3, null));
		this.nodes.clock.advance(Duration.ofMillis(1));
		LeaseGrant grant = this.second.enter();

		this.first.way(0).deliver();
		this.first.way(1).deliver();
		this.nodes.clock.advance(Duration.ofMillis(1));

		assertThat(late).isCompletedWithValueMatching(AttemptOutcome.Granted.class::isInstance);
		LeaseGrant other = ((AttemptOutcome.Granted) late.join()).grant();
		assertThat(other.token().first()).isGreaterThan(grant.token().last());
		assertThat(other.token().count()).isEqualTo(3);
		assertThat(List.of(0, 1, 2)).allSatisfy((node) -> assertThat(this.nodes.members(node))
			.containsExactlyInAnyOrder(grant.ownerId().value(), other.ownerId().value()));
	}

	@Test
	void lateRequestWithTokensThatAreTooLowLeavesNothing() {
		this.first.way(2).keepRequests("enter");
		this.first.release(this.first.enter());
		this.second.release(this.second.enter());

		this.first.way(2).deliver();

		assertThat(this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void attemptThatAMinorityOfNodesStillKeepsTakesNoPermit() {
		this.first.way(1).lose("enter");
		this.first.way(2).lose("enter");
		this.first.way(0).lose("leave");
		assertThat(this.first.permit(1)).isInstanceOf(AttemptOutcome.Unavailable.class);
		assertThat(this.nodes.members(0)).hasSize(1);

		assertThat(this.second.permit(1)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void attemptIsBusyForTheRestOfAPermitIfAllAreUsed() {
		this.first.enter(2);
		this.nodes.clock.advance(Duration.ofSeconds(10));
		this.second.enter(2);

		assertThat(this.third.permit(2)).isInstanceOfSatisfying(AttemptOutcome.Busy.class,
				(busy) -> assertThat(busy.retryAfter()).isEqualTo(NodesFixture.TTL.minusSeconds(10)));
		assertThat(this.third.permit(3)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void refusedAttemptLeavesNothingAtNodesThatAreNotFull() {
		this.first.way(2).lose("enter");
		this.first.enter(1);

		assertThat(this.second.permit(1)).isInstanceOf(AttemptOutcome.Busy.class);

		assertThat(this.nodes.members(2)).isEmpty();
	}

	/**
	 * Each of two holders has two nodes, and only one node has both.
	 */
	@Test
	void permitsAreUsedUpAlthoughMostNodesAreNotFull() {
		this.first.way(2).lose("enter");
		this.first.enter(2);
		this.second.way(1).lose("enter");
		this.second.enter(2);

		assertThat(this.third.permit(2)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.third.permit(3)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void splitAttemptsAreRepeatedSoon() {
		this.first.way(1).lose("enter");
		this.first.way(2).lose("enter");
		this.first.way(0).lose("leave");
		this.first.permit(1);
		this.second.way(0).lose("enter");
		this.second.way(2).lose("enter");
		this.second.way(1).lose("leave");
		this.second.permit(1);

		assertThat(this.third.permit(1)).isInstanceOfSatisfying(AttemptOutcome.Busy.class, (busy) -> {
			assertThat(busy.retryAfter()).isNull();
			assertThat(busy.pollAfter()).isLessThanOrEqualTo(Duration.ofMillis(50));
		});
	}

	@Test
	void morePermitsThanNodesCanNameAreRefused() {
		assertThat(this.first.permit(1_025)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(refused) -> assertThat(refused.cause()).isInstanceOf(InvalidLockRequestException.class)
					.hasMessageContaining("1024"));
		assertThat(this.first.permit(1_024)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void waitingWriterClosesTheDoorAlsoAtNodesWithoutTheGroup() {
		this.first.way(2).lose("enter");
		this.first.enter();
		this.second.way(2).lose("acquire");

		Contender writer = waitingWriter();

		this.third.way(0).lose("enter");
		assertThat(this.third.read()).isInstanceOf(AttemptOutcome.Busy.class);
		writer.withdraw();
		assertThat(this.third.read()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	private Contender waitingWriter() {
		Contender writer = this.second.connection.contend(LockTarget.exclusive(NodesFixture.KEY), () -> {
		});
		CompletableFuture<AttemptOutcome> attempt = writer
			.attempt(new LeaseRequest(OwnerId.random(), NodesFixture.TTL, 1, null, true, Duration.ofSeconds(2),
					Duration.ZERO))
			.toCompletableFuture();
		this.nodes.clock.advance(Duration.ofMillis(50));
		assertThat(attempt).isCompletedWithValueMatching(AttemptOutcome.Busy.class::isInstance);
		return writer;
	}

	@Test
	void writerThatLeavesOpensNoDoorThatAnotherKeepsClosed() {
		this.first.enter();
		Contender writer = waitingWriter();
		Contender later = waitingWriter();
		Contender latest = waitingWriter();

		writer.withdraw();
		latest.withdraw();

		assertThat(this.third.read()).isInstanceOf(AttemptOutcome.Busy.class);
		later.withdraw();
		assertThat(this.third.read()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void nodeInQuarantineDoesNotVoteOnMembers() {
		this.nodes.flush(0);
		this.first.way(2).lose("enter");

		assertThat(this.first.read()).isInstanceOf(AttemptOutcome.Unavailable.class);
		assertThat(this.nodes.members(0)).isEmpty();
	}

}
