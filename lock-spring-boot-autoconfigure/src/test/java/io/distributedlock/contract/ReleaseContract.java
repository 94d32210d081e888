package io.distributedlock.contract;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A release ends the lease that it names, once.
 */
abstract class ReleaseContract extends RenewalContract {

	private final String key = newKey();

	@Test
	void releasedLockIsFreeAtOnceForEverybody() {
		LeaseGrant grant = acquire(first(), this.key);

		assertThat(release(first(), grant)).isTrue();

		assertFree(second(), this.key);
		assertFree(first(), this.key);
	}

	@Test
	void secondReleaseFindsNothingAndDoesNoHarm() {
		LeaseGrant grant = acquire(first(), this.key);
		release(first(), grant);
		assertThat(release(first(), grant)).isFalse();
		LeaseGrant next = acquire(second(), this.key);

		assertThat(release(first(), grant)).isFalse();

		assertStands(second(), next);
		assertBusy(first(), this.key);
	}

	@Test
	void releaseAfterExpiryReportsLost() {
		LeaseGrant grant = acquire(first(), this.key, briefTtl());
		letExpire(first(), briefTtl());

		assertThat(release(first(), grant)).isFalse();

		assertFree(second(), this.key);
	}

	@Test
	void releaseComparesTheOwnerId() {
		LeaseGrant grant = acquire(first(), this.key);
		LeaseGrant stranger = new LeaseGrant(grant.target(), OwnerId.random(), grant.tokens(), grant.validUntil());

		assertThat(release(first(), stranger)).isFalse();
		assertThat(release(second(), stranger)).isFalse();

		assertStands(first(), grant);
		assertBusy(second(), this.key);
	}

	@Test
	void releaseComparesTheToken() {
		LeaseGrant grant = acquire(first(), this.key);
		LeaseGrant earlier = new LeaseGrant(grant.target(), grant.ownerId(),
				new TokenRange(grant.token().first() - 1, grant.token().count()), grant.validUntil());

		assertThat(release(first(), earlier)).isFalse();

		assertStands(first(), grant);
		assertBusy(second(), this.key);
	}

	@Test
	void leaseOfSeveralTokensIsReleasedWhole() {
		LeaseGrant grant = acquire(first(), this.key, request(OwnerId.random(), longTtl(), 16, null));

		assertThat(release(first(), grant)).isTrue();

		assertFree(second(), this.key);
	}

	@Test
	void releaseThatSeveralThreadsMakeSucceedsForOne() {
		for (int round = 0; round < 20; round++) {
			LeaseGrant grant = acquire(first(), this.key);

			List<Boolean> released = Crowd.of(4).map((index) -> release(first(), grant));

			assertThat(released).containsOnlyOnce(true);
			assertFree(second(), this.key);
		}
	}

}
