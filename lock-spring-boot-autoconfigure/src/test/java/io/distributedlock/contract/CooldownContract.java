package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Orphan;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cooldown keeps everybody out for its time and no longer, and belongs to nobody.
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
	void nobodyHoldsTheLockDuringTheCooldown() {
		LeaseGrant grant = acquire(first(), this.key);

		release(first(), grant, longTtl());

		assertLost(first(), grant);
		assertThat(find(second(), this.key)).isEmpty();
		assertThat(get(second().list())).noneMatch((info) -> info.key().equals(this.key));
		assertThat(get(second().forceRelease(this.key))).isFalse();
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

}
