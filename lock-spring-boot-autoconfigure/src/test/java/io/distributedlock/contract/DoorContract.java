package io.distributedlock.contract;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * A waiting writer that has met a group keeps new members out, for a time that ends by
 * itself. Stores with a place in line for each waiter serve in the order of arrival
 * instead.
 */
abstract class DoorContract extends GroupInspectionContract {

	/**
	 * How long a waiter may keep the door closed beyond its next attempt.
	 */
	private static final Duration BEYOND_NEXT_ATTEMPT = Duration.ofSeconds(1);

	/**
	 * Less than a door stays closed after the end of a group.
	 */
	private static final Duration CLOSED_AFTER_GROUP = Duration.ofMillis(90);

	@Test
	void waitingWriterClosesTheDoorToNewMembers() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant member = enter(first(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();

			AttemptOutcome.Busy busy = assertBusy(third(), key, group);
			assertBusy(first(), key, group);

			assertThat(busy.pollAfter()).isPositive();
			if (busy.retryAfter() != null) {
				assertThat(busy.retryAfter()).isPositive();
			}
			assertStands(first(), member);
			release(first(), member);
			writer.untilGranted(lateness());
		});
	}

	@Test
	void membersThatOverlapDoNotKeepAWriterOut() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant earlier = enter(first(), key, group);
			LeaseGrant later = enter(third(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();

			release(first(), earlier);
			assertBusy(first(), key, group);
			release(third(), later);

			LeaseGrant grant = writer.untilGranted(lateness());
			assertStands(second(), grant);
		});
	}

	@Test
	void writerThatDoesNotWaitClosesNothing() {
		forEachGroup((group) -> {
			String key = newKey();
			enter(first(), key, group);
			Contender writer = second().contend(LockTarget.exclusive(key), () -> {
			});

			assertThat(get(writer.attempt(request(longTtl())))).isInstanceOf(AttemptOutcome.Busy.class);

			enter(third(), key, group);
			assertThat(listed(third(), key)).hasSize(2);
			writer.withdraw();
		});
	}

	@Test
	void writerThatIsWokenByTheEndOfTheGroupComesBeforeNewMembers() {
		forEachGroup((group) -> {
			AttemptOutcome outcome;
			Duration passed;
			int rounds = 0;
			do {
				String key = newKey();
				LeaseGrant last = enter(first(), key, group);
				new Waiter(this, second(), key).busy();
				long released = now();
				release(first(), last);
				outcome = attempt(third(), group.on(key), request(group, longTtl()));
				passed = since(released);
				rounds++;
			}
			// The door may have opened meanwhile, if this machine stood still.
			while (rounds < 20 && passed.compareTo(CLOSED_AFTER_GROUP) >= 0);

			if (passed.compareTo(CLOSED_AFTER_GROUP) < 0) {
				assertThat(outcome).isInstanceOf(AttemptOutcome.Busy.class);
			}
		});
	}

	@Test
	void memberThatWaitsClosesNothing() {
		assumeBothGroups();
		assumeLeasesHaveTheirOwnTtl();
		String key = newKey();
		enter(first(), key, Group.READERS);

		waiter(second(), key, Group.permits(2)).busy();

		enter(third(), key, Group.READERS);
	}

	@Test
	void writerThatMeetsAnotherWriterClosesNothing() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant holder = acquire(first(), key);
			new Waiter(this, second(), key).busy();

			release(first(), holder);

			enter(third(), key, group);
		});
	}

	@Test
	void withdrawalOfTheWriterOpensTheDoor() {
		forEachGroup((group) -> {
			String key = newKey();
			enter(first(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();
			Waiter member = waiter(third(), key, group).busy();

			writer.withdraw();

			member.untilGranted(lateness());
			assertThat(listed(third(), key)).hasSize(2);
		});
	}

	@Test
	void grantToTheWriterOpensTheDoor() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant former = enter(first(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();
			release(first(), former);
			LeaseGrant grant = writer.untilGranted(lateness());
			Waiter member = waiter(third(), key, group).busy();

			release(second(), grant);

			member.untilGranted(lateness());
			assertOpen(first(), key, group);
		});
	}

	@Test
	void grantToOneWriterOpensTheDoorThatAnotherOneHadClosedToo() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant former = enter(first(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();
			new Waiter(this, first(), key).busy();
			release(first(), former);
			LeaseGrant grant = writer.untilGranted(lateness());

			release(second(), grant);

			waiter(third(), key, group).untilGranted(lateness());
		});
	}

	@Test
	void doorOfAWriterThatNeverReturnsOpensByItself() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant enduring = enter(first(), key, group, longTtl().multipliedBy(3));
			Waiter writer = new Waiter(this, second(), key).busy();
			Duration closed = writer.untilPoll().plus(BEYOND_NEXT_ATTEMPT);

			waiter(third(), key, group).untilGranted(closed.plus(lateness()));

			assertStands(first(), enduring);
		});
	}

	@Test
	void doorThatAWriterHasLeftClosedOpensSoonAfterTheEndOfTheGroup() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant last = enter(first(), key, group);
			new Waiter(this, second(), key).busy();

			release(first(), last);

			waiter(third(), key, group).untilGranted(lateness().plus(BEYOND_NEXT_ATTEMPT));
		});
	}

	@Test
	void closedDoorTouchesNoMember() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseRequest request = request(group, longTtl());
			LeaseGrant member = enter(first(), key, group, request);
			LeaseGrant other = enter(first(), key, group);
			new Waiter(this, second(), key).busy();

			assertThat(renew(first(), member, longTtl())).isInstanceOf(RenewalOutcome.Renewed.class);
			assertSameGrant(attempt(first(), group.on(key), request), member);

			assertStands(first(), member);
			assertThat(release(first(), other)).isTrue();
			assertStands(first(), member);
			assertThat(release(first(), member)).isTrue();
		});
	}

	@Test
	void renewalOfAMemberReportsTheWriterThatWaits() {
		assumeThat(tellsMembersOfWaiters()).as("whether releases report that others wait").isTrue();
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant member = enter(first(), key, group);
			assertStands(first(), member);
			assertThat(isWanted(member)).isFalse();
			new Waiter(this, second(), key).busy();

			assertThat(renew(first(), member, longTtl())).isInstanceOf(RenewalOutcome.Renewed.class);

			assertThat(isWanted(member)).isTrue();
		});
	}

	@Test
	void releaseOfAMemberReportsTheWriterThatWaits() {
		assumeThat(tellsMembersOfWaiters()).as("whether releases report that others wait").isTrue();
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant member = enter(first(), key, group);
			LeaseGrant last = enter(third(), key, group);
			new Waiter(this, second(), key).busy();

			release(first(), member);
			release(third(), last);

			assertThat(isWanted(member)).isTrue();
			assertThat(isWanted(last)).isTrue();
		});
	}

}
