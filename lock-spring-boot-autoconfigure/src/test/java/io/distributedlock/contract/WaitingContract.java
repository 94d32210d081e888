package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * A waiter that follows wake-ups and polling delays gets the lock soon after it has
 * become free.
 */
abstract class WaitingContract extends TickContract {

	private final String key = newKey();

	@Test
	void waiterGetsTheLockSoonAfterTheRelease() {
		LeaseGrant grant = acquire(first(), this.key);
		Waiter waiter = waiter(1).busy();

		release(first(), grant);

		waiter.untilGranted(lateness());
	}

	@Test
	void releaseWakesTheWaitersOfAStoreThatSaysSo() {
		LeaseGrant grant = acquire(first(), this.key);
		Waiter waiter = waiter(1).busy();
		boolean woken = get(second().wakesContenders(LockTarget.exclusive(this.key)));

		release(first(), grant);

		if (woken) {
			waiter.untilWoken(lateness());
		}
		waiter.untilGranted(lateness());
	}

	@Test
	void waiterInTheClientOfTheHolderGetsTheLockSoonAfterTheRelease() {
		LeaseGrant grant = acquire(first(), this.key);
		Waiter waiter = waiter(0).busy();

		release(first(), grant);

		waiter.untilGranted(lateness());
	}

	@Test
	void waiterGetsTheLockSoonAfterTheExpiry() {
		assumeLeasesHaveTheirOwnTtl();
		Waiter waiter = whileItStands((grant) -> new Waiter(this, second(), grant.target().key()).busy());

		waiter.untilGranted(briefTtl().plus(lateness()));
	}

	@Test
	void waiterGetsTheLockSoonAfterTheCooldown() {
		LeaseGrant grant = acquire(first(), this.key);
		Waiter waiter = waiter(1).busy();

		release(first(), grant, briefTtl());

		waiter.untilGranted(briefTtl().plus(lateness()));
	}

	@Test
	void waiterGetsTheLockSoonAfterAForcedRelease() {
		acquire(first(), this.key);
		Waiter waiter = waiter(1).busy();

		get(third().forceRelease(this.key, Duration.ZERO));

		waiter.untilGranted(lateness());
	}

	@Test
	void waiterGetsTheLockSoonAfterTheCooldownOfAForcedRelease() {
		acquire(first(), this.key);
		Waiter waiter = waiter(1).busy();

		get(third().forceRelease(this.key, briefTtl()));

		waiter.untilGranted(briefTtl().plus(lateness()));
	}

	@Test
	void waiterGetsTheLockSoonAfterAnAbandonment() {
		LeaseGrant grant = acquire(first(), this.key);
		Waiter waiter = waiter(1).busy();

		get(first().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));

		waiter.untilGranted(lateness());
	}

	@Test
	void waitersGetTheLockOneAfterTheOther() {
		LeaseGrant grant = acquire(first(), this.key);
		Waiter earlier = waiter(1).busy();
		Waiter later = waiter(2).busy();

		release(first(), grant);
		LeaseGrant next = earlier.untilGranted(lateness());
		later.busy();
		release(second(), next);

		later.untilGranted(lateness());
	}

	@Test
	void waiterThatWithdrewBlocksNoOther() {
		LeaseGrant grant = acquire(first(), this.key);
		Waiter gone = waiter(1).busy();
		gone.withdraw();
		gone.withdraw();

		release(first(), grant);

		assertFree(third(), this.key);
	}

	@Test
	void waiterThatWithdrewIsNotGrantedTheLock() {
		LeaseGrant grant = acquire(first(), this.key);
		Waiter gone = waiter(1).busy();
		Waiter waiter = waiter(2).busy();
		gone.withdraw();

		release(first(), grant);

		waiter.untilGranted(lateness());
	}

	@Test
	void attemptThatDoesNotWaitLeavesNoPlaceInLine() {
		LeaseGrant grant = acquire(first(), this.key);
		Contender contender = second().contend(LockTarget.exclusive(this.key), () -> {
		});
		get(contender.attempt(request(longTtl())));

		release(first(), grant);

		assertFree(third(), this.key);
		contender.withdraw();
	}

	@Test
	void withdrawalUndoesNoGrant() {
		Contender contender = first().contend(LockTarget.exclusive(this.key), () -> {
		});
		LeaseRequest request = new LeaseRequest(OwnerId.random(), longTtl(), 1, null, true, TIMEOUT, TIMEOUT);
		get(contender.attempt(request));

		contender.withdraw();

		assertBusy(second(), this.key);
	}

	@Test
	void contenderThatNeverAttemptedWithdrawsWithoutTrace() {
		Waiter waiter = waiter(0);

		waiter.withdraw();

		assertFree(second(), this.key);
		assertThat(waiter.wakeUps()).isZero();
	}

	@Test
	void releaseReportsThatAnotherClientWaits() {
		assumeThat(tellsOfWaiters()).as("whether releases report that others wait").isTrue();
		for (int round = 0; round < 50 && wanted().isEmpty(); round++) {
			LeaseGrant grant = acquire(first(), this.key, request(OwnerId.random(), longTtl(), 2, null));
			Waiter waiter = waiter(1).busy();

			release(first(), grant);

			// A mark remains until its waiter asks again, so it may be outdated.
			assertThat(wanted()).isSubsetOf(grant);
			waiter.withdraw();
		}
		assertThat(wanted()).hasSize(1);
	}

	@Test
	void releaseWithoutWaitersReportsNoWaiter() {
		LeaseGrant grant = acquire(first(), this.key, request(OwnerId.random(), longTtl(), 2, null));
		assertBusy(second(), this.key);

		release(first(), grant);

		assertThat(wanted()).isEmpty();
	}

	private Waiter waiter(int client) {
		return new Waiter(this, client(client), this.key);
	}

}
