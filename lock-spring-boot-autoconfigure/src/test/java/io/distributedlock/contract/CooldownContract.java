package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cooldown excludes every client for exactly its time, and has no owner. It begins with
 * a release or a forced release.
 */
abstract class CooldownContract extends StaleHolderContract {

	private final String key = newKey();

	@Test
	void cooldownKeepsEverybodyOut() {
		LeaseGrant grant = acquire(first(), this.key);

		assertThat(release(first(), grant, longTtl())).isTrue();

		assertBusy(first(), this.key);
		AttemptOutcome.Busy busy = assertBusy(second(), this.key);
		if (busy.retryAfter() != null) {
			assertThat(busy.retryAfter()).isPositive().isLessThanOrEqualTo(longTtl());
		}
	}

	@Test
	void cooldownLastsForItsTimeAndNoLonger() {
		LeaseGrant grant = acquire(first(), this.key);
		long released = now();
		release(first(), grant, briefTtl());

		new Waiter(this, second(), this.key).untilGranted(briefTtl().plus(lateness()));

		assertThat(since(released)).isGreaterThanOrEqualTo(briefTtl().minus(LockClock.driftAllowance(briefTtl())));
	}

	@Test
	void cooldownMayOutlastTheTtl() {
		LeaseGrant released = whileItStands((grant) -> {
			assertThat(release(first(), grant, longTtl())).isTrue();
			return grant;
		});

		elapse(briefTtl().multipliedBy(4).dividedBy(3));

		assertBusy(second(), released.target().key());
	}

	@Test
	void noClientHoldsTheLockDuringTheCooldown() {
		LeaseGrant grant = acquire(first(), this.key);

		release(first(), grant, longTtl());

		assertLost(first(), grant);
		assertThat(find(second(), this.key)).isEmpty();
		assertThat(get(ListedLocks.all(second()))).noneMatch((info) -> info.key().equals(this.key));
		assertThat(get(second().forceRelease(this.key, Duration.ZERO))).isFalse();
	}

	@Test
	void releaseThatIsRepeatedLeavesTheCooldownAsItIs() {
		LeaseGrant grant = acquire(first(), this.key);
		release(first(), grant, briefTtl());

		assertThat(release(first(), grant, longTtl())).isFalse();

		new Waiter(this, second(), this.key).untilGranted(briefTtl().plus(lateness()));
	}

	@Test
	void neitherReleaseNorAbandonmentEndsTheCooldown() {
		LeaseGrant grant = acquire(first(), this.key);
		release(first(), grant, longTtl());

		assertThat(release(first(), grant, Duration.ZERO)).isFalse();
		get(first().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));

		assertBusy(second(), this.key);
	}

	@Test
	void forcedReleaseBeginsACooldownForEveryClient() {
		acquire(first(), this.key);

		assertThat(get(second().forceRelease(this.key, longTtl()))).isTrue();

		assertThat(find(third(), this.key)).isEmpty();
		assertThat(get(ListedLocks.all(third()))).noneMatch((info) -> info.key().equals(this.key));
		assertBusy(first(), this.key);
		assertBusy(second(), this.key);
		AttemptOutcome.Busy busy = assertBusy(third(), this.key);
		if (busy.retryAfter() != null) {
			assertThat(busy.retryAfter()).isPositive().isLessThanOrEqualTo(longTtl());
		}
	}

	@Test
	void cooldownOfAForcedReleaseLastsForItsTimeAndNoLonger() {
		acquire(first(), this.key);
		long forced = now();
		get(second().forceRelease(this.key, briefTtl()));

		assertThat(find(second(), this.key)).isEmpty();
		new Waiter(this, third(), this.key).untilGranted(briefTtl().plus(lateness()));

		assertThat(since(forced)).isGreaterThanOrEqualTo(briefTtl().minus(LockClock.driftAllowance(briefTtl())));
	}

	@Test
	void cooldownOfAForcedReleaseMayOutlastTheTtl() {
		LeaseGrant forced = whileItStands((grant) -> {
			assertThat(get(second().forceRelease(grant.target().key(), longTtl()))).isTrue();
			return grant;
		});

		elapse(briefTtl().multipliedBy(4).dividedBy(3));

		assertBusy(third(), forced.target().key());
	}

	@Test
	void formerHolderNeitherRevivesItsLeaseNorEndsTheCooldownOfAForcedRelease() {
		LeaseGrant grant = acquire(first(), this.key);
		get(second().forceRelease(this.key, longTtl()));

		assertThat(renew(first(), grant, longTtl())).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(release(first(), grant)).isFalse();
		get(first().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));

		assertThat(find(third(), this.key)).isEmpty();
		assertBusy(third(), this.key);
	}

	@Test
	void forcedReleaseNeitherEndsNorShortensACooldown() {
		LeaseGrant grant = acquire(first(), this.key);
		release(first(), grant, longTtl());

		assertThat(get(second().forceRelease(this.key, Duration.ZERO))).isFalse();
		assertThat(get(second().forceRelease(this.key, Duration.ofMillis(1)))).isFalse();

		elapse(Duration.ofMillis(50));
		assertBusy(third(), this.key);
	}

	@Test
	void forcedReleaseDoesNotLengthenACooldown() {
		acquire(first(), this.key);
		get(second().forceRelease(this.key, briefTtl()));

		assertThat(get(second().forceRelease(this.key, longTtl()))).isFalse();

		new Waiter(this, third(), this.key).untilGranted(briefTtl().plus(lateness()));
	}

}
