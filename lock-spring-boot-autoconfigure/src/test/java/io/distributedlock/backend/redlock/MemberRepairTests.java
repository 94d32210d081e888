package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Renewal of members by a majority, and the repair of nodes that lost them.
 */
class MemberRepairTests {

	private final NodesFixture nodes = new NodesFixture(3);

	private final SteeredClient reader = this.nodes.client();

	private final SteeredClient other = this.nodes.client();

	private final LeaseGrant grant = this.reader.enter();

	@Test
	void nodeThatLostAMemberGetsItBackOnceAMajorityHasSaidThatItStands() {
		this.nodes.lose(2);
		this.reader.way(1).keepAnswers("renewMembers");

		CompletableFuture<RenewalOutcome> renewal = this.reader.renew(this.grant);

		assertThat(this.nodes.members(2)).isEmpty();
		this.reader.way(1).deliver();
		assertThat(renewal).isCompletedWithValueMatching(RenewalOutcome.Renewed.class::isInstance);
		assertThat(this.nodes.members(2)).containsExactly(this.grant.ownerId().value());
	}

	@Test
	void membersThatWerePutBackDoNotMakeAMajority() {
		this.nodes.lose(1);
		this.nodes.lose(2);

		assertThat(this.reader.renew(this.grant)).isCompletedWithValue(new RenewalOutcome.Lost());
		assertThat(this.nodes.members(1)).isEmpty();
	}

	@Test
	void memberIsPutBackBesideGreaterTokensButDoesNotCountUntilAttemptsAreOver() {
		this.nodes.lose(2);
		LeaseGrant later = this.other.enter();
		this.reader.renew(this.grant);
		assertThat(this.nodes.members(2)).containsExactlyInAnyOrder(this.grant.ownerId().value(),
				later.ownerId().value());
		this.reader.way(1).lose("renewMembers");

		CompletableFuture<RenewalOutcome> tooNew = this.reader.renew(this.grant);
		this.nodes.clock.advance(this.nodes.settings.callTimeout());

		assertThat(tooNew).isCompletedWithValueMatching(RenewalOutcome.Unknown.class::isInstance);
		this.reader.way(1).clear();
		keepFor(this.nodes.settings.quarantine());
		this.reader.way(1).lose("renewMembers");
		assertThat(this.reader.renew(this.grant))
			.isCompletedWithValueMatching(RenewalOutcome.Renewed.class::isInstance);
	}

	private void keepFor(Duration time) {
		Duration step = NodesFixture.TTL.dividedBy(3);
		for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
			this.nodes.clock.advance(step);
			assertThat(this.reader.renew(this.grant))
				.isCompletedWithValueMatching(RenewalOutcome.Renewed.class::isInstance);
		}
	}

	@Test
	void memberIsPutBackAndCountsAtOnceIfNoGreaterTokenIsThere() {
		this.nodes.lose(2);
		this.reader.renew(this.grant);
		this.reader.way(1).lose("renewMembers");

		assertThat(this.reader.renew(this.grant))
			.isCompletedWithValueMatching(RenewalOutcome.Renewed.class::isInstance);
	}

	/**
	 * A lock expires early, so that a writer is granted and ends, and afterwards a node
	 * executes a message that puts the member back.
	 */
	@Test
	void writerFitsIntoNoReadLeaseThatWasRenewedWithoutABreak() {
		this.nodes.lose(2);
		this.reader.way(2).keepRequests("reinstallMember");
		this.reader.renew(this.grant);
		this.nodes.lose(1);
		this.other.way(0).lose("acquire", "release");
		this.other.release(this.other.acquire());

		this.reader.way(2).deliver();

		assertThat(this.nodes.members(2)).containsExactly(this.grant.ownerId().value());
		assertThat(this.reader.renew(this.grant)).isCompletedWithValue(new RenewalOutcome.Lost());
	}

	@Test
	void memberIsNotPutBackWhereAWriterIs() {
		this.nodes.lose(1);
		this.nodes.lose(2);
		this.other.way(0).lose("acquire");
		LeaseGrant written = this.other.acquire();

		assertThat(this.reader.renew(this.grant)).isCompletedWithValue(new RenewalOutcome.Lost());
		assertThat(this.nodes.members(2)).containsExactly(written.ownerId().value());
	}

	@Test
	void memberIsNotPutBackForALeaseThatWasReleasedMeanwhile() {
		this.nodes.lose(2);
		this.reader.way(2).keepAnswers("renewMembers");
		this.reader.renew(this.grant);
		this.reader.release(this.grant);

		this.reader.way(2).deliver();

		assertThat(this.nodes.members(2)).isEmpty();
	}

	@Test
	void nodeThatWasEmptiedGetsTheMemberBackWhenItVotesAgain() {
		this.nodes.flush(2);
		keepFor(this.nodes.settings.quarantine().plusSeconds(20));

		assertThat(this.nodes.isQuarantined(2)).isFalse();
		assertThat(this.nodes.members(2)).containsExactly(this.grant.ownerId().value());
	}

	@Test
	void exclusiveLeasesAndMembersAreRenewedInOneCall() {
		SteeredClient holder = this.nodes.client();
		this.reader.release(this.grant);
		LeaseGrant exclusive = holder.acquire();
		LeaseGrant lost = this.grant;

		List<RenewalOutcome> outcomes = holder.connection
			.renew(List.of(new Renewal(lost, NodesFixture.TTL), new Renewal(exclusive, NodesFixture.TTL),
					new Renewal(lost, NodesFixture.TTL)))
			.toCompletableFuture()
			.join();

		assertThat(outcomes).hasExactlyElementsOfTypes(RenewalOutcome.Lost.class, RenewalOutcome.Renewed.class,
				RenewalOutcome.Lost.class);
	}

}
