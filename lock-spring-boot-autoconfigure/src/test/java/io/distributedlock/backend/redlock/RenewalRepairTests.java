package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Renewal by a majority, and the repair of nodes that lost the lock.
 */
class RenewalRepairTests {

	private final NodesFixture nodes = new NodesFixture(3);

	private final SteeredClient holder = this.nodes.client();

	private final LeaseGrant grant = this.holder.acquire();

	@Test
	void nodeThatLostTheLockGetsItBackOnceAMajorityHasSaidThatItStands() {
		this.nodes.lose(2);
		this.holder.way(1).keepAnswers("renew");

		CompletableFuture<RenewalOutcome> renewal = this.holder.renew(this.grant);

		assertThat(this.nodes.hasLock(2)).isFalse();
		this.holder.way(1).deliver();
		assertThat(renewal).isCompletedWithValueMatching(RenewalOutcome.Renewed.class::isInstance);
		assertThat(this.nodes.hasLock(2)).isTrue();
	}

	@Test
	void locksThatWerePutBackDoNotMakeAMajority() {
		this.nodes.lose(1);
		this.nodes.lose(2);

		assertThat(this.holder.renew(this.grant)).isCompletedWithValue(new RenewalOutcome.Lost());
		assertThat(this.nodes.hasLock(1)).isFalse();
		assertThat(this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void lockIsNotPutBackForALeaseThatWasReleasedMeanwhile() {
		this.nodes.lose(2);
		this.holder.way(2).keepAnswers("renew");
		assertThat(this.holder.renew(this.grant))
			.isCompletedWithValueMatching(RenewalOutcome.Renewed.class::isInstance);
		this.holder.release(this.grant);

		this.holder.way(2).deliver();

		assertThat(this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void lockIsNotPutBackForALeaseThatIsOver() {
		this.nodes.lose(2);
		this.holder.way(2).keepAnswers("renew");
		this.holder.renew(this.grant);
		this.nodes.clock.advance(NodesFixture.TTL);

		this.holder.way(2).deliver();

		assertThat(this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void lockIsNotPutBackWhereAGreaterTokenWasGranted() {
		this.nodes.lose(2);
		this.nodes.count(2, this.grant.token().last() + 1);

		this.holder.renew(this.grant);

		assertThat(this.nodes.hasLock(2)).isFalse();
	}

	@Test
	void lockThatALateRequestSetAfterSomebodyElseWasThereDoesNotCount() {
		SteeredClient other = this.nodes.client();
		this.nodes.lose(0);
		this.nodes.lose(1);
		this.nodes.lose(2);
		this.holder.release(this.grant);
		this.holder.way(2).keepRequests("acquire");
		LeaseGrant late = this.holder.acquire();
		this.nodes.lose(1);
		other.way(0).lose("acquire");
		other.release(other.acquire());

		this.holder.way(2).deliver();
		assertThat(this.nodes.hasLock(0)).isTrue();
		assertThat(this.nodes.hasLock(2)).isTrue();

		assertThat(this.holder.renew(late)).isCompletedWithValue(new RenewalOutcome.Lost());
	}

	@Test
	void renewalThatIsAnsweredAfterTheValidityRevivesNothing() {
		this.holder.way(0).keepAnswers("renew");
		this.holder.way(1).keepAnswers("renew");
		this.holder.way(2).lose("renew");
		this.nodes.clock.advance(NodesFixture.TTL.minusSeconds(1));
		CompletableFuture<RenewalOutcome> renewal = this.holder.renew(this.grant);

		this.nodes.clock.advance(Duration.ofSeconds(1));
		this.holder.way(0).deliver();
		this.holder.way(1).deliver();

		assertThat(renewal).isCompletedWithValue(new RenewalOutcome.Lost());
	}

	@Test
	void validityOfARenewalCountsFromWhenItWasSent() {
		this.holder.way(0).keepAnswers("renew");
		this.holder.way(1).keepAnswers("renew");
		this.holder.way(2).lose("renew");
		this.nodes.clock.advance(Duration.ofSeconds(10));
		long sentAt = this.nodes.clock.nanoTime();
		CompletableFuture<RenewalOutcome> renewal = this.holder.renew(this.grant);

		this.nodes.clock.advance(Duration.ofSeconds(1));
		this.holder.way(0).deliver();
		this.holder.way(1).deliver();

		assertThat(renewal)
			.isCompletedWithValue(new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, NodesFixture.TTL)));
	}

	@Test
	void renewalWithoutAMajorityOfAnswersIsUnknownAndLosesNothing() {
		this.holder.way(1).lose("renew");
		this.holder.way(2).lose("renew");

		CompletableFuture<RenewalOutcome> renewal = this.holder.renew(this.grant);
		this.nodes.clock.advance(this.nodes.settings.callTimeout());

		assertThat(renewal).isCompletedWithValueMatching(RenewalOutcome.Unknown.class::isInstance);
	}

	@Test
	void leasesOfABatchWithoutAnAnswerShareOneCause() {
		this.holder.way(1).lose("renew");
		this.holder.way(2).lose("renew");
		Renewal renewal = new Renewal(this.grant, NodesFixture.TTL);

		CompletableFuture<List<RenewalOutcome>> renewals = this.holder.connection.renew(List.of(renewal, renewal))
			.toCompletableFuture();
		this.nodes.clock.advance(this.nodes.settings.callTimeout());

		assertThat(renewals).isCompleted();
		assertThat(renewals.join().get(0)).isSameAs(renewals.join().get(1));
	}

	@Test
	void nodeInQuarantineDoesNotCountForARenewal() {
		this.holder.way(1).lose("renew");
		this.nodes.flush(2);

		CompletableFuture<RenewalOutcome> renewal = this.holder.renew(this.grant);
		this.nodes.clock.advance(this.nodes.settings.callTimeout());

		assertThat(renewal).isCompletedWithValueMatching(RenewalOutcome.Unknown.class::isInstance);
		assertThat(this.nodes.hasLock(2)).isFalse();
	}

}
