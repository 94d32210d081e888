package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Renewals only extend leases, and only leases that still exist.
 */
abstract class RenewalContract extends TokenContract {

	private final String key = newKey();

	@Test
	void renewedLeaseOutlivesItsFirstTtl() {
		LeaseGrant grant = whileItStands((brief) -> renewed(brief, longTtl()));

		elapse(briefTtl().multipliedBy(4).dividedBy(3));

		assertBusy(second(), grant.target().key());
		assertThat(release(first(), grant)).isTrue();
	}

	@Test
	void renewedLeaseRunsOutOneTtlAfterTheRenewal() {
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant grant = whileItStands((brief) -> {
			elapse(briefTtl().dividedBy(4));
			return renewed(brief, briefTtl());
		});

		letExpire(first(), briefTtl());

		assertFree(second(), grant.target().key());
	}

	private LeaseGrant renewed(LeaseGrant grant, Duration ttl) {
		assertThat(renew(first(), grant, ttl)).isInstanceOf(RenewalOutcome.Renewed.class);
		return grant;
	}

	@Test
	void renewalReturnsTheNewEndOfTheValidity() {
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant grant = acquire(first(), this.key);
		long before = now();

		RenewalOutcome outcome = renew(first(), grant, longTtl());

		assertThat(outcome).isInstanceOfSatisfying(RenewalOutcome.Renewed.class, (renewed) -> {
			assertThat(renewed.validUntil() - LockClock.validUntil(before, longTtl())).isNotNegative();
			assertThat(renewed.validUntil() - LockClock.validUntil(now(), longTtl())).isNotPositive();
		});
	}

	@Test
	void noOtherClientIsGrantedTheLockBeforeTheRenewedValidityEnds() {
		assumeLeasesHaveTheirOwnTtl();
		AtomicLong validUntil = new AtomicLong();
		Waiter waiter = whileItStands((grant) -> {
			Waiter other = new Waiter(this, second(), grant.target().key()).busy();
			RenewalOutcome outcome = renew(first(), grant, briefTtl().multipliedBy(2));
			assertThat(outcome).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
					(renewed) -> validUntil.set(renewed.validUntil()));
			return other;
		});

		waiter.untilGranted(briefTtl().multipliedBy(2).plus(lateness()));

		assertThat(now() - validUntil.get()).as("nanoseconds from the end of the renewed validity to the next grant")
			.isNotNegative();
	}

	@Test
	void shortRenewalLeavesALaterExpiryWhereItWas() {
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant grant = acquire(first(), this.key, longTtl());
		assertThat(renew(first(), grant, briefTtl())).isInstanceOf(RenewalOutcome.Renewed.class);

		letExpire(first(), briefTtl());

		assertBusy(second(), this.key);
		assertStands(first(), grant);
	}

	@Test
	void renewalOfZeroChangesNothing() {
		assumeLeasesHaveTheirOwnTtl();

		LeaseGrant grant = whileItStands((brief) -> {
			Duration before = remaining(brief);
			assertStands(first(), brief);
			assertThat(remaining(brief)).isPositive().isLessThanOrEqualTo(before);
			return brief;
		});

		letExpire(first(), briefTtl());
		assertLost(first(), grant);
	}

	private Duration remaining(LeaseGrant grant) {
		return find(second(), grant.target().key()).orElseThrow().remaining();
	}

	@Test
	void expiredLeaseIsNeverRevived() {
		LeaseGrant grant = acquire(first(), this.key, briefTtl());
		letExpire(first(), briefTtl());

		assertThat(renew(first(), grant, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(renew(first(), grant, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);

		assertFree(second(), this.key);
	}

	@Test
	void releasedLeaseIsNeverRevived() {
		LeaseGrant grant = acquire(first(), this.key);
		release(first(), grant);

		assertThat(renew(first(), grant, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);

		assertFree(second(), this.key);
	}

	@Test
	void onlyTheOwnerRenews() {
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant grant = acquire(first(), this.key, briefTtl());
		LeaseGrant stranger = new LeaseGrant(grant.target(), OwnerId.random(), grant.tokens(), grant.validUntil());

		assertThat(renew(second(), stranger, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);

		letExpire(first(), briefTtl());
		assertFree(second(), this.key);
	}

	@Test
	void batchIsAnsweredLeaseByLeaseInItsOrder() {
		List<Renewal> renewals = new ArrayList<>();
		int size = Math.min(20, first().traits().renewalBatch());
		for (int i = 0; i < size; i++) {
			LeaseGrant grant = acquire(first(), newKey());
			if (i % 3 == 1) {
				release(first(), grant);
			}
			renewals.add(new Renewal(grant, longTtl()));
		}

		List<RenewalOutcome> outcomes = get(first().renew(renewals));

		assertThat(outcomes).hasSize(size);
		for (int i = 0; i < size; i++) {
			assertThat(outcomes.get(i)).as("outcome %d", i)
				.isInstanceOf((i % 3 == 1) ? RenewalOutcome.Lost.class : RenewalOutcome.Renewed.class);
		}
	}

	@Test
	void emptyBatchIsAnsweredEmpty() {
		assertThat(get(first().renew(List.of()))).isEmpty();
	}

	@Test
	void renewalThatRacesWithTheReleaseNeverOutlivesIt() {
		for (int round = 0; round < 50; round++) {
			LeaseGrant grant = acquire(first(), this.key);

			List<Boolean> released = Crowd.of(2).map((index) -> {
				if (index == 0) {
					renew(first(), grant, longTtl());
					return true;
				}
				return release(first(), grant);
			});

			assertThat(released).containsOnly(true);
			assertLost(first(), grant);
			assertFree(second(), this.key);
		}
	}

}
