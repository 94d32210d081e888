package io.distributedlock.contract;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Attempts with an unknown outcome leave nothing behind at the store.
 */
abstract class AbandonContract extends CooldownContract {

	private final String key = newKey();

	@Test
	void abandonedAttemptThatHadBeenGrantedFreesTheLock() {
		LeaseGrant grant = acquire(first(), this.key);

		abandon(grant.ownerId());

		assertLost(first(), grant);
		assertThat(release(first(), grant)).isFalse();
		assertFree(second(), this.key);
	}

	@Test
	void abandonmentIsRepeatableAndHarmsNoLaterHolder() {
		LeaseGrant grant = acquire(first(), this.key);
		abandon(grant.ownerId());
		LeaseGrant next = acquire(second(), this.key);

		abandon(grant.ownerId());
		abandon(grant.ownerId());

		assertStands(second(), next);
		assertBusy(first(), this.key);
	}

	@Test
	void abandonedAttemptThatWasBusyHarmsNotTheHolder() {
		LeaseGrant grant = acquire(first(), this.key);
		LeaseRequest busy = request(longTtl());
		assertThat(attempt(first(), this.key, busy)).isInstanceOf(AttemptOutcome.Busy.class);

		abandon(busy.ownerId());

		assertStands(first(), grant);
		assertBusy(second(), this.key);
	}

	@Test
	void attemptThatArrivesAfterItsAbandonmentIsUndoneByTheNext() {
		LeaseRequest late = request(longTtl());
		abandon(late.ownerId());
		attempt(first(), this.key, late);

		abandon(late.ownerId());

		assertFree(second(), this.key);
	}

	@Test
	void severalAttemptsAreAbandonedAtOnce() {
		List<Orphan> orphans = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			LeaseGrant grant = acquire(first(), newKey());
			orphans.add(new Orphan(grant.target(), grant.ownerId()));
		}
		orphans.add(3, new Orphan(LockTarget.exclusive(newKey()), OwnerId.random()));

		get(first().abandon(orphans));

		orphans.forEach((orphan) -> assertFree(second(), orphan.target().key()));
	}

	@Test
	void abandonmentOfNothingIsNoFault() {
		get(first().abandon(List.of()));

		abandon(OwnerId.random());

		assertFree(second(), this.key);
	}

	private void abandon(OwnerId ownerId) {
		get(first().abandon(List.of(new Orphan(LockTarget.exclusive(this.key), ownerId))));
	}

}
