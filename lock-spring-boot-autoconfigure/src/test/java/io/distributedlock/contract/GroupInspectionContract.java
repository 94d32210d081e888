package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Finding, listing and forcibly releasing the members of groups.
 */
abstract class GroupInspectionContract extends MemberWaitingContract {

	@Test
	void memberWithTheSmallestTokenIsFound() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant one = enter(first(), key, group);
			LeaseGrant other = enter(second(), key, group);
			LeaseGrant smaller = (one.token().first() < other.token().first()) ? one : other;
			LeaseGrant greater = (smaller == one) ? other : one;

			LockInfo found = find(third(), key).orElseThrow();

			assertThat(found.key()).isEqualTo(key);
			assertThat(found.instance()).isNotBlank();
			assertThat(found.mode()).isEqualTo(group.mode());
			assertThat(found.fencingToken()).isEqualTo(smaller.token().last());
			assertThat(found.heldFor()).isBetween(Duration.ZERO, longTtl());
			assertThat(found.remaining()).isPositive().isLessThanOrEqualTo(longTtl());
			release((smaller == one) ? first() : second(), smaller);
			assertThat(find(third(), key).orElseThrow().fencingToken()).isEqualTo(greater.token().last());
		});
	}

	@Test
	void eachMemberIsListed() {
		forEachGroup((group) -> {
			String key = newKey();
			List<LeaseGrant> members = List.of(enter(first(), key, group), enter(first(), key, group),
					enter(second(), key, group));

			List<LockInfo> listed = listed(third(), key);

			assertThat(listed).extracting(LockInfo::mode).containsOnly(group.mode());
			assertThat(listed).extracting(LockInfo::instance).doesNotContain("");
			assertThat(listed).extracting(LockInfo::remaining)
				.allSatisfy((rest) -> assertThat(rest).isPositive().isLessThanOrEqualTo(longTtl()));
			assertThat(listed).extracting(LockInfo::fencingToken)
				.containsExactlyInAnyOrderElementsOf(lastTokens(members.stream()));
		});
	}

	@Test
	void restOfEachMemberIsItsOwn() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			enter(first(), key, group, longTtl());
			enter(second(), key, group, longTtl().dividedBy(2));

			assertThat(listed(third(), key)).extracting(LockInfo::remaining)
				.satisfiesExactlyInAnyOrder(
						(rest) -> assertThat(rest).isBetween(longTtl().dividedBy(2).plusMillis(1), longTtl()),
						(rest) -> assertThat(rest).isBetween(Duration.ofMillis(1), longTtl().dividedBy(2)));
		});
	}

	@Test
	void expiredMemberIsNeitherFoundNorListed() {
		forEachGroup((group) -> {
			String key = newKey();
			enter(second(), key, group, briefTtl());
			LeaseGrant enduring = enter(first(), key, group, longTtl());

			letExpire(second(), briefTtl());

			long token = enduring.token().last();
			assertThat(find(third(), key).orElseThrow().fencingToken()).isEqualTo(token);
			assertThat(listed(third(), key)).singleElement().extracting(LockInfo::fencingToken).isEqualTo(token);
			release(first(), enduring);
			assertThat(find(third(), key)).isEmpty();
			assertThat(listed(third(), key)).isEmpty();
		});
	}

	@Test
	void groupWhoseMembersHaveAllExpiredIsNeitherFoundNorListed() {
		forEachGroup((group) -> {
			String key = newKey();
			enter(second(), key, group, briefTtl());
			enter(second(), key, group, briefTtl());

			letExpire(second(), briefTtl());

			assertThat(find(third(), key)).isEmpty();
			assertThat(listed(third(), key)).isEmpty();
			assertThat(get(third().forceRelease(key, longTtl()))).isFalse();
			assertFree(third(), key);
		});
	}

	@Test
	void allMembersOfAKeyAreOnOnePageOfAnySize() {
		forEachGroup((group) -> {
			Map<String, List<Long>> held = new HashMap<>();
			for (int i = 0; i < 6; i++) {
				String key = newKey();
				Stream<LeaseGrant> members = (i % 3 == 0) ? Stream.of(acquire(first(), key)) : Stream
					.of(enter(first(), key, group), enter(second(), key, group), enter(first(), key, group));
				held.put(key, lastTokens(members));
			}

			for (int limit : new int[] { 1, 2, 100 }) {
				Map<String, List<Long>> shown = new HashMap<>();
				pages(limit).forEach((page) -> {
					Map<String, List<Long>> onPage = new HashMap<>();
					page.locks()
						.forEach((lock) -> onPage.computeIfAbsent(lock.key(), (key) -> new ArrayList<>())
							.add(lock.fencingToken()));
					assertThat(onPage).hasSizeLessThanOrEqualTo(limit);
					shown.putAll(onPage);
				});
				held.forEach((key, tokens) -> assertThat(shown.get(key)).as("tokens on a page of %d keys", limit)
					.containsExactlyInAnyOrderElementsOf(tokens));
			}
		});
	}

	private List<LockPage> pages(int limit) {
		List<LockPage> pages = new ArrayList<>();
		String next = null;
		do {
			LockPage page = get(third().list(next, limit));
			pages.add(page);
			next = page.next();
		}
		while (next != null);
		return pages;
	}

	private static List<Long> lastTokens(Stream<LeaseGrant> grants) {
		return grants.map((grant) -> grant.token().last()).toList();
	}

	@Test
	void inspectionChangesNothingForMembers() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant one = enter(first(), key, group);
			LeaseGrant other = enter(second(), key, group);

			find(third(), key);
			listed(third(), key);

			assertStands(first(), one);
			assertStands(second(), other);
			assertBusy(third(), key);
			assertOpen(third(), key, group);
		});
	}

	@Test
	void forcedReleaseEndsTheWholeGroup() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant one = enter(first(), key, group);
			LeaseGrant other = enter(second(), key, group);

			assertThat(get(third().forceRelease(key, Duration.ZERO))).isTrue();

			assertThat(find(third(), key)).isEmpty();
			assertThat(listed(third(), key)).isEmpty();
			assertLost(first(), one);
			assertLost(second(), other);
			assertThat(renew(first(), one, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
			assertThat(release(second(), other)).isFalse();
			assertFree(third(), key);
			assertThat(get(third().forceRelease(key, Duration.ZERO))).isFalse();
		});
	}

	@Test
	void membersOfAForcedGroupAreNotRevivedByTheNextOne() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant one = enter(first(), key, group);
			LeaseGrant other = enter(second(), key, group);
			get(third().forceRelease(key, Duration.ZERO));
			LeaseGrant next = enter(third(), key, group);

			assertThat(renew(first(), one, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
			assertThat(release(first(), one)).isFalse();
			assertThat(renew(second(), other, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
			abandon(second(), other);

			assertStands(third(), next);
			assertThat(listed(third(), key)).hasSize(1);
			assertThat(release(third(), next)).isTrue();
			assertFree(first(), key);
		});
	}

	@Test
	void forcedReleaseOfAGroupBeginsACooldownForEverybody() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant member = enter(first(), key, group);

			assertThat(get(second().forceRelease(key, longTtl()))).isTrue();

			assertThat(find(third(), key)).isEmpty();
			assertThat(listed(third(), key)).isEmpty();
			assertBusy(third(), key);
			assertBusy(third(), key, group);
			assertBusy(first(), key, group);
			assertLost(first(), member);
			assertThat(release(first(), member)).isFalse();
			abandon(first(), member);
			assertThat(get(second().forceRelease(key, Duration.ZERO))).isFalse();
			assertBusy(third(), key, group);
		});
	}

	@Test
	void cooldownOfAForcedGroupLastsForItsTimeAndNoLonger() {
		forEachGroup((group) -> {
			String key = newKey();
			enter(first(), key, group);
			enter(second(), key, group);
			Waiter waiter = waiter(third(), key, group);
			long forced = now();
			get(second().forceRelease(key, briefTtl()));

			waiter.untilGranted(briefTtl().plus(lateness()));

			assertThat(since(forced)).isGreaterThanOrEqualTo(briefTtl().minus(LockClock.driftAllowance(briefTtl())));
		});
	}

	@Test
	void writerGetsTheKeySoonAfterAForcedReleaseOfTheGroup() {
		forEachGroup((group) -> {
			String key = newKey();
			enter(first(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();

			get(third().forceRelease(key, briefTtl()));

			writer.untilGranted(briefTtl().plus(lateness()));
		});
	}

}
