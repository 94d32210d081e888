package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * At most as many leases at a time as the request has permits.
 */
abstract class PermitsContract extends SharedContract {

	@Test
	void permitsAreCountedExactly() {
		assumePermits();
		String key = newKey();
		List<LeaseGrant> holders = permits(key, 3);

		AttemptOutcome.Busy busy = assertBusy(third(), key, Group.permits(3));
		assertBusy(first(), key, Group.permits(3));

		if (busy.retryAfter() != null) {
			assertThat(busy.retryAfter()).isPositive().isLessThanOrEqualTo(longTtl());
		}
		for (int i = 0; i < 3; i++) {
			assertThat(release(client(i), holders.get(i))).isTrue();
			enter(third(), key, Group.permits(3));
			assertBusy(second(), key, Group.permits(3));
		}
	}

	@Test
	void onePermitExcludesAnotherOneAndAWriterAndTheReverse() {
		assumePermits();
		String key = newKey();
		LeaseGrant permit = enter(first(), key, Group.permits(1));
		assertBusy(second(), key, Group.permits(1));
		assertBusy(second(), key);
		assertThat(release(first(), permit)).isTrue();
		LeaseGrant writer = acquire(second(), key);
		assertBusy(first(), key, Group.permits(1));
		assertThat(release(second(), writer)).isTrue();

		assertOpen(first(), key, Group.permits(1));
	}

	@Test
	void numberOfPermitsThatIsLoweredWhileMoreAreHeldCountsFromThereOn() {
		assumePermits();
		String key = newKey();
		List<LeaseGrant> holders = permits(key, 5);
		assertBusy(third(), key, Group.permits(2));

		for (int i = 0; i < 3; i++) {
			release(client(i % 3), holders.get(i));
			assertBusy(third(), key, Group.permits(2));
		}
		enter(third(), key, Group.permits(5));
		assertBusy(third(), key, Group.permits(3));
		release(client(0), holders.get(3));
		assertBusy(third(), key, Group.permits(2));
		release(client(1), holders.get(4));
		enter(third(), key, Group.permits(2));
		assertBusy(third(), key, Group.permits(2));

		enter(third(), key, Group.permits(5));
		enter(third(), key, Group.permits(5));
		enter(third(), key, Group.permits(5));
		assertBusy(third(), key, Group.permits(5));
		enter(third(), key, Group.permits(6));
	}

	@Test
	void permitOfAHolderThatHasCrashedIsFreeAfterItsTtl() {
		assumePermits();
		String key = newKey();
		LeaseGrant enduring = enter(first(), key, Group.permits(2));
		LeaseGrant crashed = enter(second(), key, Group.permits(2), briefTtl());

		letExpire(second(), briefTtl());

		enter(third(), key, Group.permits(2));
		assertBusy(third(), key, Group.permits(2));
		assertLost(second(), crashed);
		assertStands(first(), enduring);
	}

	@Test
	void waiterGetsThePermitOfAHolderThatHasCrashedSoonAfterItsTtlAndNotBefore() {
		assumePermits();
		assumeLeasesHaveTheirOwnTtl();
		String key = newKey();
		enter(first(), key, Group.permits(2));
		LeaseGrant crashed = enter(second(), key, Group.permits(2), briefTtl());

		waiter(third(), key, Group.permits(2)).untilGranted(briefTtl().plus(lateness()));

		assertThat(now() - crashed.validUntil()).as("nanoseconds from the end of the validity to the next grant")
			.isNotNegative();
	}

	@Test
	void waiterGetsAPermitSoonAfterOneOfSeveralIsReleased() {
		assumePermits();
		String key = newKey();
		List<LeaseGrant> holders = permits(key, 3);
		Waiter waiter = waiter(third(), key, Group.permits(3)).busy();

		release(second(), holders.get(1));

		waiter.untilGranted(lateness());
	}

	@Test
	void waiterGetsAPermitSoonAfterOneOfSeveralIsAbandoned() {
		assumePermits();
		String key = newKey();
		List<LeaseGrant> holders = permits(key, 3);
		Waiter waiter = waiter(third(), key, Group.permits(3)).busy();

		abandon(second(), holders.get(1));

		waiter.untilGranted(lateness());
	}

	@Test
	void waitersGetPermitsAlthoughTheFirstOfThemWantsFewer() {
		assumePermits();
		// With a place in line for each waiter the first one comes first.
		assumeLeasesHaveTheirOwnTtl();
		String key = newKey();
		List<LeaseGrant> holders = permits(key, 3);
		Waiter modest = waiter(first(), key, Group.permits(2)).busy();
		Waiter other = waiter(third(), key, Group.permits(3)).busy();

		release(second(), holders.get(1));

		other.untilGranted(lateness());
		modest.withdraw();
	}

	@Test
	void cooldownOfAPermitCountsAsOne() {
		assumePermits();
		String key = newKey();
		List<LeaseGrant> holders = permits(key, 2);

		assertThat(release(first(), holders.get(0), longTtl())).isTrue();

		assertBusy(third(), key, Group.permits(2));
		enter(third(), key, Group.permits(3));
	}

	@Test
	void waiterGetsThePermitSoonAfterItsCooldown() {
		assumePermits();
		String key = newKey();
		List<LeaseGrant> holders = permits(key, 2);
		Waiter waiter = waiter(third(), key, Group.permits(2)).busy();

		assertThat(release(first(), holders.get(0), briefTtl())).isTrue();

		waiter.untilGranted(briefTtl().plus(lateness()));
	}

	@Test
	void expiredPermitThatIsRenewedTakesNoPlace() {
		assumePermits();
		String key = newKey();
		enter(first(), key, Group.permits(2));
		LeaseGrant gone = enter(second(), key, Group.permits(2), briefTtl());
		letExpire(second(), briefTtl());

		assertThat(renew(second(), gone, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);

		LeaseGrant next = enter(third(), key, Group.permits(2));
		assertBusy(third(), key, Group.permits(2));
		assertThat(renew(second(), gone, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(release(second(), gone)).isFalse();
		assertStands(third(), next);
	}

	@Test
	void attemptOfAPermitThatIsSentAgainTakesOnePlace() {
		assumePermits();
		String key = newKey();
		LeaseRequest request = request(Group.permits(2), longTtl());
		LeaseGrant grant = enter(first(), key, Group.permits(2), request);
		assertSameGrant(attempt(first(), Group.permits(2).on(key), request), grant);
		enter(second(), key, Group.permits(2));

		assertSameGrant(attempt(first(), Group.permits(2).on(key), request), grant);

		assertBusy(third(), key, Group.permits(2));
		assertThat(release(first(), grant)).isTrue();
		enter(third(), key, Group.permits(2));
	}

	@Test
	void permitsOfAnEndedGroupAreNotCounted() {
		assumePermits();
		String key = newKey();
		permits(key, 2);
		get(third().forceRelease(key, Duration.ZERO));
		permits(key, 2);
		assertBusy(third(), key, Group.permits(2));
	}

	@Test
	void crowdGetsExactlyThePermitsThatThereAre() {
		assumePermits();
		for (int round = 0; round < 20; round++) {
			String key = newKey();

			List<AttemptOutcome> outcomes = Crowd.of(12)
				.map((index) -> attempt(client(index % 3), Group.permits(3).on(key),
						request(Group.permits(3), longTtl())));

			assertThat(granted(outcomes)).isBetween(canSplitVotes() ? 0L : 3L, 3L);
		}
	}

	@Test
	void crowdWithDifferentNumbersOfPermitsGetsNoMoreThanTheLargest() {
		assumePermits();
		for (int round = 0; round < 20; round++) {
			String key = newKey();

			List<AttemptOutcome> outcomes = Crowd.of(12).map((index) -> {
				Group group = Group.permits(1 + index % 4);
				return attempt(client(index % 3), group.on(key), request(group, longTtl()));
			});

			assertThat(granted(outcomes)).isBetween(canSplitVotes() ? 0L : 1L, 4L);
		}
	}

	@Test
	void tokensOfPermitsAreUniqueAndOrderedAroundWriters() {
		assumePermits();
		assumeFencing();
		assertTokensAreOrdered(Group.permits(AMPLE));
	}

	/**
	 * Take all of a number of permits, with one client after the other.
	 */
	private List<LeaseGrant> permits(String key, int permits) {
		List<LeaseGrant> holders = new ArrayList<>();
		for (int i = 0; i < permits; i++) {
			holders.add(enter(client(i % 3), key, Group.permits(permits)));
		}
		return holders;
	}

}
