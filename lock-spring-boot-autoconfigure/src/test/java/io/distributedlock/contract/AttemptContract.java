package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * One attempt, one owner id, at most one grant.
 */
abstract class AttemptContract extends ContractPart {

	@Test
	void freeLockIsGrantedAsAsked() {
		String key = newKey();
		LeaseRequest request = request(longTtl());

		LeaseGrant grant = acquire(first(), key, request);

		assertThat(grant.target()).isEqualTo(LockTarget.exclusive(key));
		assertThat(grant.ownerId()).isEqualTo(request.ownerId());
		assertThat(grant.tokens()).hasSize(1);
		assertThat(grant.token().first()).isPositive();
	}

	@Test
	void whatTheTraitsDoNotOfferIsRefusedByName() {
		get(first().find(newKey()));
		LockTarget several = new LockTarget(List.of(newKey(), newKey()), LockMode.EXCLUSIVE);
		LockTarget shared = new LockTarget(List.of(newKey()), LockMode.SHARED);

		if (first().severalKeys(several) == SeveralKeys.ONE_BY_ONE) {
			assertRefused(several);
		}
		if (!first().traits().sharedMode()) {
			assertRefused(shared);
		}
		if (first().traits().maxPermits() == 0) {
			assertRefused(LockTarget.of(newKey(), LockMode.PERMITS));
		}
	}

	private void assertRefused(LockTarget target) {
		assertThatIllegalArgumentException().isThrownBy(() -> first().contend(target, () -> {
		}))
			.withMessageContaining("'" + first().name() + "'")
			.withMessageContaining(target.mode().name())
			.withMessageContaining(target.keys().toString());
	}

	@Test
	void oneAttemptIsEnoughForAFreeLock() {
		String key = newKey();

		for (int i = 0; i < 50; i++) {
			assertFree(first(), key);
			assertFree(second(), key);
		}
	}

	@Test
	void heldLockIsBusyForAnotherClientAndForItsOwn() {
		String key = newKey();
		acquire(first(), key);

		assertBusy(second(), key);
		assertBusy(first(), key);
	}

	@Test
	void busyAttemptLearnsWhatIsLeftAtMostAndWhenToComeBack() {
		String key = newKey();
		acquire(first(), key);

		AttemptOutcome.Busy busy = assertBusy(second(), key);

		if (busy.retryAfter() != null) {
			assertThat(busy.retryAfter()).isPositive().isLessThanOrEqualTo(longTtl());
		}
		assertThat(busy.pollAfter()).isPositive();
	}

	@Test
	void busyAttemptChangesNothingForTheHolder() {
		assumeLeasesHaveTheirOwnTtl();
		String key = newKey();
		LeaseGrant grant = acquire(first(), key);

		assertRestUnchangedBy(key, () -> assertBusy(second(), key));

		assertStands(first(), grant);
	}

	@Test
	void attemptThatIsSentAgainIsNotGrantedTwice() {
		String key = newKey();
		LeaseRequest request = request(longTtl());
		LeaseGrant grant = acquire(first(), key, request);

		AttemptOutcome again = attempt(first(), key, request);

		if (again instanceof AttemptOutcome.Granted granted) {
			assertThat(granted.grant().tokens()).isEqualTo(grant.tokens());
		}
		else {
			assertThat(again).isInstanceOf(AttemptOutcome.Busy.class);
		}
		assertThat(release(first(), grant)).isTrue();
		assertFree(second(), key);
	}

	@Test
	void attemptThatIsSentAgainNeverBringsTheExpiryNearer() {
		assumeLeasesHaveTheirOwnTtl();
		String key = newKey();
		OwnerId ownerId = OwnerId.random();
		LeaseGrant grant = acquire(first(), key, request(ownerId, longTtl(), 1, null));
		attempt(first(), key, request(ownerId, briefTtl(), 1, null));

		letExpire(first(), briefTtl());

		assertBusy(second(), key);
		assertStands(first(), grant);
	}

	@Test
	void validityIsCountedFromTheSendingLessTheDriftAllowance() {
		assumeLeasesHaveTheirOwnTtl();
		long before = now();

		LeaseGrant grant = acquire(first(), newKey(), longTtl());

		assertThat(grant.validUntil() - LockClock.validUntil(before, longTtl())).isNotNegative();
		assertThat(grant.validUntil() - LockClock.validUntil(now(), longTtl())).isNotPositive();
	}

	@Test
	void noOtherClientIsGrantedTheLockBeforeTheValidityEnds() {
		assumeLeasesHaveTheirOwnTtl();
		String key = newKey();
		LeaseGrant grant = acquire(first(), key, briefTtl());

		new Waiter(this, second(), key).untilGranted(briefTtl().plus(lateness()));

		assertThat(now() - grant.validUntil()).as("nanoseconds from the end of the validity to the next grant")
			.isNotNegative();
	}

	@Test
	void everyAttemptOfACrowdOnAFreeLockButOneIsBusy() {
		for (int round = 0; round < 20; round++) {
			String key = newKey();

			List<AttemptOutcome> outcomes = Crowd.of(12)
				.map((index) -> attempt(client(index % 3), key, request(longTtl())));

			assertOneGrant(outcomes);
		}
	}

	@Test
	void everyAttemptOfACrowdOnAnExpiredLeaseButOneIsBusy() {
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			keys.add(newKey());
			acquire(third(), keys.get(i), briefTtl());
		}
		letExpire(third(), briefTtl());

		for (String key : keys) {
			List<AttemptOutcome> outcomes = Crowd.of(12)
				.map((index) -> attempt(client(index % 2), key, request(longTtl())));

			assertOneGrant(outcomes);
		}
	}

	@Test
	void attemptThatMayNotBlockItsCallerIsAnsweredAllTheSame() {
		String key = newKey();
		LeaseRequest request = new LeaseRequest(OwnerId.random(), longTtl(), 1, null, false, TIMEOUT, Duration.ZERO);

		acquire(first(), key, request);

		assertBusy(second(), key);
	}

	private void assertOneGrant(List<AttemptOutcome> outcomes) {
		assertThat(outcomes).allMatch(
				(outcome) -> outcome instanceof AttemptOutcome.Granted || outcome instanceof AttemptOutcome.Busy,
				"granted or busy");
		assertThat(outcomes).filteredOn(AttemptOutcome.Granted.class::isInstance)
			.hasSizeBetween(canSplitVotes() ? 0 : 1, 1);
	}

}
