package io.distributedlock.contract;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Finding, listing and forcibly releasing locks of other clients.
 */
abstract class InspectionContract extends KeyContract {

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
		assertThat(get(second().list())).extracting(LockInfo::key).doesNotContain(this.key);
	}

	@Test
	void locksOfAllClientsAreListedAndReleasedOnesAreNot() {
		String other = newKey();
		String released = newKey();
		acquire(first(), this.key);
		acquire(second(), other);
		release(first(), acquire(first(), released));

		assertThat(get(third().list())).extracting(LockInfo::key).contains(this.key, other).doesNotContain(released);
	}

	@Test
	void listedLockIsDescribedAsTheFoundOneIs() {
		LeaseGrant grant = acquire(first(), this.key);

		LockInfo listed = get(second().list()).stream()
			.filter((info) -> info.key().equals(this.key))
			.findFirst()
			.orElseThrow();

		assertThat(listed.instance()).isEqualTo(find(second(), this.key).orElseThrow().instance());
		assertThat(listed.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(listed.fencingToken()).isEqualTo(grant.token().last());
		assertThat(listed.remaining()).isPositive().isLessThanOrEqualTo(longTtl());
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
		get(second().list());

		assertStands(first(), grant);
		assertBusy(second(), this.key);
	}

}
