package io.distributedlock.contract;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;

/**
 * Writers that wait for members, and members that wait for a writer, get the key soon
 * after it has become free to them.
 */
abstract class MemberWaitingContract extends MemberExpiryContract {

	@Test
	void writerGetsTheKeySoonAfterTheLastMemberHasLeft() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant one = enter(first(), key, group);
			LeaseGrant other = enter(third(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();

			release(first(), one);
			writer.busy();
			release(third(), other);

			writer.untilGranted(lateness());
		});
	}

	@Test
	void writerGetsTheKeySoonAfterTheLastExpiryThatIsLeft() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			enter(third(), key, group, briefTtl());
			LeaseGrant enduring = enter(first(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();

			release(first(), enduring);

			writer.untilGranted(briefTtl().plus(lateness()));
		});
	}

	@Test
	void writerGetsTheKeySoonAfterTheCooldownOfTheLastMember() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant member = enter(first(), key, group);
			Waiter writer = new Waiter(this, second(), key).busy();

			release(first(), member, briefTtl());

			writer.untilGranted(briefTtl().plus(lateness()));
		});
	}

	@Test
	void memberGetsTheKeySoonAfterTheReleaseOfAWriter() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant writer = acquire(first(), key);
			Waiter member = waiter(second(), key, group).busy();

			release(first(), writer);

			member.untilGranted(lateness());
		});
	}

	@Test
	void memberGetsTheKeySoonAfterTheExpiryOfAWriter() {
		assumeLeasesHaveTheirOwnTtl();
		forEachGroup((group) -> {
			String key = newKey();
			acquire(first(), key, briefTtl());

			waiter(second(), key, group).untilGranted(briefTtl().plus(lateness()));
		});
	}

	@Test
	void memberThatWithdrewBlocksNoOther() {
		forEachGroup((group) -> {
			String key = newKey();
			LeaseGrant writer = acquire(first(), key);
			Waiter gone = waiter(second(), key, group).busy();
			gone.withdraw();

			release(first(), writer);

			assertFree(third(), key);
		});
	}

}
