package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each member of a group has a lease of its own, and the key is free to others when the
 * last one has ended.
 */
abstract class MemberContract extends GroupPart {

	@Test
	void memberIsGrantedAsAsked() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseRequest request = request(group, longTtl());

			LeaseGrant grant = enter(first(), key, group, request);

			assertThat(grant.target()).isEqualTo(group.on(key));
			assertThat(grant.ownerId()).isEqualTo(request.ownerId());
			assertThat(grant.tokens()).hasSize(1);
			assertThat(grant.token().first()).isPositive();
			assertThat(release(first(), grant)).isTrue();
			assertFree(second(), key);
		});
	}

	@Test
	void membersHoldTheKeyTogetherAndExcludeAWriterUntilTheLastOneHasLeft() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant one = enter(first(), key, group);
			LeaseGrant same = enter(first(), key, group);
			LeaseGrant other = enter(second(), key, group);

			assertBusy(third(), key);
			assertStands(first(), one);
			assertThat(release(first(), one)).isTrue();
			assertLost(first(), one);
			assertBusy(third(), key);
			assertThat(release(second(), other)).isTrue();
			assertBusy(third(), key);
			assertStands(first(), same);
			assertThat(release(first(), same)).isTrue();

			assertFree(third(), key);
		});
	}

	@Test
	void writerExcludesMembersUntilItsRelease() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant writer = acquire(first(), key);

			AttemptOutcome.Busy busy = assertBusy(second(), key, group);
			assertBusy(first(), key, group);

			if (busy.retryAfter() != null) {
				assertThat(busy.retryAfter()).isPositive().isLessThanOrEqualTo(longTtl());
			}
			assertStands(first(), writer);
			assertThat(release(first(), writer)).isTrue();
			assertOpen(second(), key, group);
		});
	}

	@Test
	void cooldownOfAWriterExcludesMembers() {
		forEachGroup((group) -> {
			String key = newKey();
			release(first(), acquire(first(), key), longTtl());

			assertBusy(first(), key, group);
			assertBusy(second(), key, group);
		});
	}

	@Test
	void groupIsFreeForAnotherOneAtOnceAfterItsEnd() {
		assumeBothGroups();
		String key = newKey();
		for (Group group : List.of(Group.READERS, Group.permits(2), Group.READERS, Group.permits(1))) {
			LeaseGrant member = enter(first(), key, group);
			assertBusy(second(), key, (group == Group.READERS) ? Group.permits(AMPLE) : Group.READERS);
			assertBusy(second(), key);
			assertThat(release(first(), member)).isTrue();
			assertFree(second(), key);
		}
	}

	@Test
	void onlyTheOwnerOfAMemberRenewsAndReleasesIt() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant grant = enter(first(), key, group);
			enter(second(), key, group);
			LeaseGrant stranger = new LeaseGrant(grant.target(), OwnerId.random(), grant.tokens(), grant.validUntil());
			LeaseGrant earlier = new LeaseGrant(grant.target(), grant.ownerId(),
					new TokenRange(grant.token().first() - 1, grant.token().count()), grant.validUntil());

			assertThat(renew(first(), stranger, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
			assertThat(release(first(), stranger)).isFalse();
			assertThat(release(first(), earlier)).isFalse();

			assertStands(first(), grant);
			assertThat(listed(third(), key)).hasSize(2);
		});
	}

	@Test
	void secondReleaseOfAMemberFindsNothingAndDoesNoHarm() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant gone = enter(first(), key, group);
			LeaseGrant other = enter(second(), key, group);
			assertThat(release(first(), gone)).isTrue();

			assertThat(release(first(), gone)).isFalse();

			assertStands(second(), other);
			assertBusy(third(), key);
		});
	}

	@Test
	void twoLastMembersThatReleaseAtOnceFreeTheKeyAtOnce() {
		forEachGroup((group) -> {
			String key = newKey();
			for (int round = 0; round < 30; round++) {
				List<LeaseGrant> members = List.of(enter(first(), key, group), enter(second(), key, group));

				List<Boolean> released = Crowd.of(2).map((index) -> release(client(index), members.get(index)));

				assertThat(released).containsOnly(true);
				assertFree(third(), key);
			}
		});
	}

	@Test
	void memberThatIsReleasedWithACooldownKeepsItsPlaceWithoutAnOwner() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant cooling = enter(first(), key, group);
			LeaseGrant other = enter(second(), key, group);

			assertThat(release(first(), cooling, longTtl())).isTrue();

			assertLost(first(), cooling);
			assertThat(release(first(), cooling)).isFalse();
			assertStands(second(), other);
			assertThat(listed(third(), key)).hasSize(1);
			assertThat(release(second(), other)).isTrue();
			assertBusy(third(), key);
			assertThat(find(third(), key)).isEmpty();
			assertThat(listed(third(), key)).isEmpty();
			assertThat(get(third().forceRelease(key, Duration.ZERO))).isFalse();
			abandon(first(), cooling);
			assertBusy(third(), key);
			assertOpen(third(), key, group);
		});
	}

	@Test
	void abandonedMemberEndsAlone() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant abandoned = enter(first(), key, group);
			LeaseGrant other = enter(second(), key, group);

			abandon(first(), abandoned);
			abandon(first(), abandoned);

			assertLost(first(), abandoned);
			assertStands(second(), other);
			assertBusy(third(), key);
			abandon(second(), other);
			assertFree(third(), key);
		});
	}

	@Test
	void attemptOfAMemberThatIsSentAgainKeepsItsGrant() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseRequest request = request(group, longTtl());
			LeaseGrant grant = enter(first(), key, group, request);

			assertSameGrant(attempt(first(), group.on(key), request), grant);
			enter(second(), key, group);
			assertSameGrant(attempt(first(), group.on(key), request), grant);

			assertThat(listed(third(), key)).hasSize(2);
			assertThat(release(first(), grant)).isTrue();
			assertThat(listed(third(), key)).hasSize(1);
		});
	}

	/**
	 * Assert that an attempt which was sent again is not granted twice.
	 */
	final void assertSameGrant(AttemptOutcome again, LeaseGrant grant) {
		if (again instanceof AttemptOutcome.Granted granted) {
			assertThat(granted.grant().tokens()).isEqualTo(grant.tokens());
		}
		else {
			assertThat(again).isInstanceOf(AttemptOutcome.Busy.class);
		}
	}

}
