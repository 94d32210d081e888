package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Finding, listing and forcibly releasing locks of other clients.
 */
abstract class InspectionContract extends KeyContract {

	private static final int HELD = 25;

	private final String key = newKey();

	@Test
	void heldLockIsFoundByAnotherClient() {
		LeaseGrant grant = acquire(first(), this.key, request(OwnerId.random(), longTtl(), 5, null));

		LockInfo found = find(second(), this.key).orElseThrow();

		assertThat(found.key()).isEqualTo(this.key);
		assertThat(found.instance()).isNotBlank();
		assertThat(found.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(found.fencingToken()).isEqualTo(grant.token().last());
		assertThat(found.heldFor()).isBetween(Duration.ZERO, longTtl());
		assertThat(found.remaining()).isPositive().isLessThanOrEqualTo(longTtl());
	}

	@Test
	void timesOfAFoundLockGoOn() {
		assumeLeasesHaveTheirOwnTtl();
		acquire(first(), this.key);
		LockInfo before = find(second(), this.key).orElseThrow();

		elapse(Duration.ofMillis(50));

		LockInfo after = find(second(), this.key).orElseThrow();
		assertThat(after.heldFor()).isGreaterThan(before.heldFor());
		assertThat(after.remaining()).isLessThan(before.remaining());
	}

	@Test
	void lockWithoutAHolderIsNotFound() {
		assertThat(find(first(), this.key)).isEmpty();

		release(first(), acquire(first(), this.key));

		assertThat(find(first(), this.key)).isEmpty();
	}

	@Test
	void expiredLockIsNeitherFoundNorListed() {
		acquire(first(), this.key, briefTtl());

		letExpire(first(), briefTtl());

		assertThat(find(second(), this.key)).isEmpty();
		assertThat(get(ListedLocks.all(second()))).extracting(LockInfo::key).doesNotContain(this.key);
	}

	@Test
	void locksOfAllClientsAreListedAndReleasedOnesAreNot() {
		String other = newKey();
		String released = newKey();
		acquire(first(), this.key);
		acquire(second(), other);
		release(first(), acquire(first(), released));

		assertThat(get(ListedLocks.all(third()))).extracting(LockInfo::key)
			.contains(this.key, other)
			.doesNotContain(released);
	}

	@Test
	void listedLockIsDescribedAsTheFoundOneIs() {
		LeaseGrant grant = acquire(first(), this.key);

		LockInfo listed = get(ListedLocks.all(second())).stream()
			.filter((info) -> info.key().equals(this.key))
			.findFirst()
			.orElseThrow();

		assertThat(listed.instance()).isEqualTo(find(second(), this.key).orElseThrow().instance());
		assertThat(listed.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(listed.fencingToken()).isEqualTo(grant.token().last());
		assertThat(listed.remaining()).isPositive().isLessThanOrEqualTo(longTtl());
	}

	@Test
	void eachLockIsOnOnePageOfAnySize() {
		Set<String> held = new HashSet<>();
		for (int i = 0; i < HELD; i++) {
			held.add(acquire(first(), newKey()).target().key());
		}

		for (int limit : new int[] { 1, 2, 10, 1000 }) {
			List<String> shown = new ArrayList<>();
			LockPage page = get(second().list(null, limit));
			while (true) {
				assertThat(page.locks().stream().map(LockInfo::key).distinct().count()).isLessThanOrEqualTo(limit);
				page.locks().forEach((lock) -> shown.add(lock.key()));
				if (page.next() == null) {
					break;
				}
				page = get(second().list(page.next(), limit));
			}
			assertThat(shown).as("locks on pages of %s", limit)
				.filteredOn(held::contains)
				.containsExactlyInAnyOrderElementsOf(held);
		}
	}

	@Test
	void pageGoesOnWhereThePreviousOneEndedAfterItsLocksAreReleased() {
		Map<String, LeaseGrant> held = new HashMap<>();
		for (int i = 0; i < HELD; i++) {
			LeaseGrant grant = acquire(first(), newKey());
			held.put(grant.target().key(), grant);
		}

		LockPage page = get(second().list(null, 3));
		Set<String> shown = new HashSet<>();
		while (true) {
			for (LockInfo lock : page.locks()) {
				shown.add(lock.key());
				if (held.containsKey(lock.key())) {
					release(first(), held.get(lock.key()));
				}
			}
			if (page.next() == null) {
				break;
			}
			page = get(second().list(page.next(), 3));
		}

		assertThat(shown).containsAll(held.keySet());
	}

	@Test
	void waitersTakeNoRoomOnAPage() {
		LeaseGrant grant = acquire(first(), this.key);
		List<Contender> waiters = new ArrayList<>();
		for (int i = 0; i < HELD; i++) {
			Contender waiter = second().contend(LockTarget.exclusive(this.key), () -> {
			});
			assertThat(get(waiter.attempt(request(longTtl())))).isInstanceOf(AttemptOutcome.Busy.class);
			waiters.add(waiter);
		}

		assertThat(get(ListedLocks.all(third(), 2))).filteredOn((lock) -> lock.key().equals(this.key))
			.singleElement()
			.extracting(LockInfo::fencingToken)
			.isEqualTo(grant.token().last());
		waiters.forEach(Contender::withdraw);
	}

	@Test
	void lockThatIsTakenAwayIsFreeAndItsHolderIsNotified() {
		LeaseGrant grant = acquire(first(), this.key);

		assertThat(get(second().forceRelease(this.key, Duration.ZERO))).isTrue();

		assertLost(first(), grant);
		assertThat(release(first(), grant)).isFalse();
		assertFree(third(), this.key);
	}

	@Test
	void lockWithoutAHolderCannotBeTakenAway() {
		assertThat(get(first().forceRelease(this.key, Duration.ZERO))).isFalse();

		release(first(), acquire(first(), this.key));

		assertThat(get(first().forceRelease(this.key, Duration.ZERO))).isFalse();
	}

	@Test
	void forcedReleaseOfAFreeLockBeginsNoCooldown() {
		assertThat(get(second().forceRelease(this.key, longTtl()))).isFalse();
		assertFree(first(), this.key);

		assertThat(get(second().forceRelease(this.key, longTtl()))).isFalse();
		assertFree(first(), this.key);
	}

	@Test
	void expiredLockCannotBeTakenAway() {
		acquire(first(), this.key, briefTtl());

		letExpire(first(), briefTtl());

		assertThat(get(second().forceRelease(this.key, Duration.ZERO))).isFalse();
	}

	@Test
	void inspectionChangesNothing() {
		LeaseGrant grant = acquire(first(), this.key);

		find(second(), this.key);
		get(ListedLocks.all(second()));

		assertStands(first(), grant);
		assertBusy(second(), this.key);
	}

}
