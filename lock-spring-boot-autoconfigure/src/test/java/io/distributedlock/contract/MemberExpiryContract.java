package io.distributedlock.contract;

import java.util.List;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each member of a group expires and is renewed on its own.
 */
abstract class MemberExpiryContract extends MemberContract {

	@Test
	void membersWithABriefAndALongTtlExpireEachOnItsOwn() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant enduring = enter(first(), key, group, longTtl());
			LeaseGrant brief = enter(second(), key, group, briefTtl());

			letExpire(second(), briefTtl());

			assertLost(second(), brief);
			assertStands(first(), enduring);
			assertBusy(third(), key);
			assertThat(release(first(), enduring)).isTrue();
			assertFree(third(), key);
		});
	}

	@Test
	void memberOutlivesABriefOneThatCameBefore() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant brief = enter(second(), key, group, briefTtl());
			LeaseGrant enduring = enter(first(), key, group, longTtl());

			letExpire(second(), briefTtl());

			assertLost(second(), brief);
			assertStands(first(), enduring);
			assertBusy(third(), key);
		});
	}

	@Test
	void lastMemberThatExpiresFreesTheKey() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant one = enter(second(), key, group, briefTtl());
			LeaseGrant other = enter(second(), key, group, briefTtl());

			letExpire(second(), briefTtl());

			assertFree(third(), key);
			assertLost(second(), one);
			assertLost(second(), other);
			assertThat(release(second(), one)).isFalse();
			assertFree(third(), key);
		});
	}

	@Test
	void releaseOfOneMemberLeavesTheKeyToTheLatestExpiryOfTheOthers() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant enduring = enter(first(), key, group, longTtl());
			enter(second(), key, group, briefTtl());
			LeaseGrant leaving = enter(third(), key, group, longTtl());

			assertThat(release(third(), leaving)).isTrue();
			letExpire(second(), briefTtl());

			assertBusy(third(), key);
			assertStands(first(), enduring);
		});
	}

	@Test
	void keyIsFreeWhenTheBriefMemberExpiresAfterTheLongOneWasReleased() {
		forEachGroup((group) -> {
			String key = newKey();
			enter(second(), key, group, briefTtl());
			LeaseGrant enduring = enter(first(), key, group, longTtl());

			assertThat(release(first(), enduring)).isTrue();
			letExpire(second(), briefTtl());

			assertFree(third(), key);
		});
	}

	@Test
	void renewedMemberKeepsTheKeyUntilItsNewExpiry() {
		forEachGroup((group) -> {
			LeaseGrant grant = whileMemberStands(group, (brief) -> {
				assertThat(renew(first(), brief, longTtl())).isInstanceOf(RenewalOutcome.Renewed.class);
				return brief;
			});

			elapse(briefTtl().multipliedBy(4).dividedBy(3));

			assertBusy(second(), grant.target().key());
			assertStands(first(), grant);
			assertThat(release(first(), grant)).isTrue();
			assertFree(second(), grant.target().key());
		});
	}

	@Test
	void renewalTouchesNoOtherMember() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant enduring = enter(first(), key, group, longTtl());
			LeaseGrant brief = enter(second(), key, group, briefTtl());
			assertThat(renew(first(), enduring, longTtl())).isInstanceOf(RenewalOutcome.Renewed.class);

			letExpire(second(), briefTtl());

			assertLost(second(), brief);
			assertThat(listed(third(), key)).hasSize(1);
			assertStands(first(), enduring);
		});
	}

	@Test
	void shortRenewalLeavesTheLaterExpiryOfTheMemberAndOfTheOthers() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant one = enter(first(), key, group, longTtl());
			LeaseGrant other = enter(second(), key, group, longTtl());
			assertThat(renew(first(), one, briefTtl())).isInstanceOf(RenewalOutcome.Renewed.class);

			letExpire(first(), briefTtl());

			assertStands(first(), one);
			assertStands(second(), other);
			assertBusy(third(), key);
		});
	}

	@Test
	void expiredMemberIsNeverRevived() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant enduring = enter(first(), key, group, longTtl());
			LeaseGrant brief = enter(second(), key, group, briefTtl());
			letExpire(second(), briefTtl());

			assertThat(renew(second(), brief, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
			assertThat(renew(second(), brief, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
			assertThat(release(second(), brief)).isFalse();

			assertStands(first(), enduring);
			assertThat(listed(third(), key)).hasSize(1);
			assertThat(release(first(), enduring)).isTrue();
			assertFree(third(), key);
		});
	}

	@Test
	void memberOfAnEndedGroupIsNotRevivedByTheNextOne() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant gone = enter(second(), key, group, briefTtl());
			letExpire(second(), briefTtl());
			LeaseGrant next = enter(first(), key, group);

			assertThat(renew(second(), gone, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
			assertThat(release(second(), gone)).isFalse();

			assertThat(listed(third(), key)).hasSize(1);
			assertThat(release(first(), next)).isTrue();
			assertFree(third(), key);
		});
	}

	@Test
	void renewalThatRacesWithTheReleaseOfAnotherMemberKeepsItsOwn() {
		forEachGroup((group) -> {
			for (int round = 0; round < 30; round++) {
				String key = newKey();
				LeaseGrant staying = enter(first(), key, group);
				LeaseGrant leaving = enter(second(), key, group);

				List<Boolean> outcomes = Crowd.of(2)
					.map((index) -> (index == 0) ? renew(first(), staying, longTtl()) instanceof RenewalOutcome.Renewed
							: release(second(), leaving));

				assertThat(outcomes).containsOnly(true);
				assertBusy(third(), key);
				assertThat(release(first(), staying)).isTrue();
				assertFree(third(), key);
			}
		});
	}

	@Test
	void validityOfAMemberEndsBeforeAnotherClientIsGrantedTheKey() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant grant = enter(first(), key, group, briefTtl());

			new Waiter(this, second(), key).untilGranted(briefTtl().plus(lateness()));

			assertThat(now() - grant.validUntil()).as("nanoseconds from the end of the validity to the next grant")
				.isNotNegative();
		});
	}

	/**
	 * Enter a group for the brief TTL, as {@link #whileItStands} acquires a lock.
	 */
	private LeaseGrant whileMemberStands(Group group, UnaryOperator<LeaseGrant> inTime) {
		return whileItStands((key) -> enter(first(), key, group, briefTtl()), inTime);
	}

}
