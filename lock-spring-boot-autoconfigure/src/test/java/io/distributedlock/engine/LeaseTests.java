package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the renewal, loss and release of leases.
 */
class LeaseTests {

	private static final Duration TTL = Duration.ofSeconds(9);

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY).ttl(TTL);

	private final EngineFixture fixture = new EngineFixture();

	private final List<Lease> told = new CopyOnWriteArrayList<>();

	@Test
	void validityIsTheTtlLessTheDriftAllowance() {
		Lease lease = this.fixture.template.acquire(REQUEST);

		assertThat(lease.remaining()).isEqualTo(TTL.minus(TTL.dividedBy(100)).minusMillis(2));
	}

	@Test
	void renewalKeepsALeaseForMuchLongerThanItsTtl() {
		Lease lease = this.fixture.template.acquire(REQUEST);

		for (int i = 0; i < 100; i++) {
			this.fixture.advance(Duration.ofSeconds(1));
			assertThat(lease.isHeld()).isTrue();
			assertThat(this.fixture.other.tryAcquire(REQUEST)).isEmpty();
		}

		assertThat(this.fixture.backend.renewals.get()).isBetween(30, 34);
		assertThat(lease.release()).isTrue();
	}

	@Test
	void dueLeasesAreRenewedInOneBatch() {
		for (int i = 0; i < 500; i++) {
			this.fixture.template.acquire(LockRequest.of("key:" + i).ttl(TTL));
		}

		this.fixture.advance(Duration.ofMillis(3250));

		assertThat(this.fixture.backend.renewals).hasValue(1);
	}

	@Test
	void leasesAreRenewedInFullBatchesWheneverTheyWereAcquired() {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			leases.add(this.fixture.template.acquire(LockRequest.of("key:" + i).ttl(TTL)));
			this.fixture.advance(Duration.ofMillis(60));
		}

		this.fixture.advance(TTL.multipliedBy(3));

		// Nine thirds of the TTL; each takes ten groups at most, which a tenth of a third
		// separates.
		assertThat(this.fixture.backend.renewals.get()).isBetween(9, 10 * 11);
		assertThat(leases).allMatch(Lease::isHeld);
	}

	@Test
	void nothingIsRenewedAfterTheRelease() {
		this.fixture.template.acquire(REQUEST).release();

		this.fixture.advance(Duration.ofSeconds(60));

		assertThat(this.fixture.backend.renewals).hasValue(0);
		assertThat(this.fixture.clock.pending()).isZero();
	}

	@Test
	void renewalSurvivesFaultsThatEndBeforeTheDeadline() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.backend.cutOff();
		this.fixture.advance(Duration.ofSeconds(8));

		this.fixture.backend.restore();
		this.fixture.advance(Duration.ofSeconds(60));

		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.release()).isTrue();
	}

	@Test
	void shortLeaseSurvivesACutOfHalfItsTtlWheneverItBegins() {
		for (int round = 0; round < 100; round++) {
			Lease lease = this.fixture.template.acquire(REQUEST.ttl(Duration.ofSeconds(1)));
			this.fixture.advance(Duration.ofMillis(330));
			this.fixture.backend.cutOff();
			this.fixture.advance(Duration.ofMillis(500));

			this.fixture.backend.restore();
			this.fixture.advance(Duration.ofSeconds(2));

			assertThat(lease.release()).as("round %d", round).isTrue();
		}
	}

	@Test
	void leaseIsLostAtItsDeadlineWhenTheStoreIsGone() {
		Lease lease = acquireWatched();
		Duration validity = lease.remaining();
		this.fixture.backend.cutOff();

		this.fixture.advance(validity.minusMillis(1));
		assertThat(lease.isHeld()).isTrue();
		this.fixture.advance(Duration.ofMillis(1));

		assertThat(lease.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(this.told).containsExactly(lease));
		assertThat(this.fixture.news()).contains("lost EXPIRED");
		assertThat(this.fixture.other.tryAcquire(REQUEST)).isEmpty();
	}

	@Test
	void lostIsFinalEvenIfARenewalIsAnsweredLate() {
		Lease lease = acquireWatched();
		this.fixture.backend.holdAnswers();
		this.fixture.advance(Duration.ofSeconds(10));

		this.fixture.backend.letThrough();

		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.release()).isFalse();
		await().untilAsserted(() -> assertThat(this.told).hasSize(1));
	}

	@Test
	void nextLeaseAfterALossIsRenewedLikeAnyOther() {
		acquireWatched();
		this.fixture.backend.cutOff();
		this.fixture.advance(Duration.ofSeconds(10));
		this.fixture.backend.restore();
		this.fixture.advance(Duration.ofSeconds(2));

		Lease next = this.fixture.template.acquire(REQUEST);
		this.fixture.advance(Duration.ofSeconds(60));

		assertThat(next.isHeld()).isTrue();
	}

	@Test
	void holderOfALeaseThatWasTakenAwayLearnsAtTheNextRenewal() {
		Lease lease = acquireWatched();
		this.fixture.backend.forceReleaseSilently(EngineFixture.KEY);

		this.fixture.advance(Duration.ofMillis(3250));

		assertThat(lease.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(this.told).containsExactly(lease));
		assertThat(this.fixture.news()).contains("lost TAKEN");
	}

	@Test
	void holderOfALeaseThatTheStoreSaysIsGoneLearnsAtOnce() {
		Lease lease = acquireWatched();

		this.fixture.forceRelease();

		assertThat(lease.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(this.told).containsExactly(lease));
	}

	@Test
	void lossThatTheStoreReportsAtTheDeadlineIsAnExpiry() {
		Lease lease = this.fixture.template.acquire(REQUEST.withoutRenewal());
		// Before the engine, which schedules its own check of the deadline later.
		this.fixture.clock.schedule(lease.remaining(), this.fixture.backend::tellLost);

		this.fixture.advance(TTL);

		assertThat(lease.isHeld()).isFalse();
		assertThat(this.fixture.news()).containsOnlyOnce("lost EXPIRED").doesNotContain("lost TAKEN");
	}

	@Test
	void releaseOfALeaseThatWasTakenAwayReportsTheLoss() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.backend.forceReleaseSilently(EngineFixture.KEY);
		Lease next = this.fixture.other.acquire(REQUEST);

		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::close)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LossReason.TAKEN));
		assertThat(next.isHeld()).isTrue();
		assertThat(this.fixture.other.tryAcquire(REQUEST)).isEmpty();
	}

	@Test
	void withoutRenewalTheLeaseEndsWithItsTtl() {
		Lease lease = this.fixture.template.acquire(REQUEST.withoutRenewal());
		lease.onLost(this.told::add);

		this.fixture.advance(TTL);

		assertThat(lease.isHeld()).isFalse();
		assertThat(this.fixture.backend.renewals).hasValue(0);
		await().untilAsserted(() -> assertThat(this.told).hasSize(1));
	}

	@Test
	void maximumHoldEndsALeaseThatIsRenewed() {
		Lease lease = this.fixture.template.acquire(REQUEST.maxHold(Duration.ofSeconds(20)));

		this.fixture.advance(Duration.ofMillis(19_999));
		assertThat(lease.isHeld()).isTrue();
		this.fixture.advance(Duration.ofMillis(1));

		assertThat(lease.isHeld()).isFalse();
		assertThat(this.fixture.news()).contains("lost MAX_HOLD");
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void minimumHoldKeepsEverybodyOutAfterAnEarlyRelease() {
		Lease lease = this.fixture.template.acquire(REQUEST.minHold(Duration.ofSeconds(20)));
		this.fixture.advance(Duration.ofSeconds(5));

		assertThat(lease.release()).isTrue();

		this.fixture.advance(Duration.ofMillis(14_999));
		assertThat(this.fixture.other.tryAcquire(REQUEST)).isEmpty();
		assertThat(this.fixture.template.tryAcquire(REQUEST)).isEmpty();
		this.fixture.advance(Duration.ofMillis(1));
		assertThat(this.fixture.other.tryAcquire(REQUEST)).isPresent();
	}

	@Test
	void extensionIsKeptByLaterRenewals() {
		Lease lease = this.fixture.template.acquire(REQUEST);

		lease.extend(Duration.ofMinutes(5));

		assertThat(lease.remaining()).isGreaterThanOrEqualTo(Duration.ofMinutes(5));
		this.fixture.advance(Duration.ofMinutes(1));
		assertThat(lease.remaining()).isGreaterThanOrEqualTo(Duration.ofMinutes(4));
		this.fixture.backend.cutOff();
		this.fixture.advance(Duration.ofMinutes(3));
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void extensionPastTheMaximumHoldIsRefused() {
		Lease lease = this.fixture.template.acquire(REQUEST.maxHold(Duration.ofSeconds(20)));
		this.fixture.advance(Duration.ofMillis(2500));

		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> lease.extend(Duration.ofSeconds(18)))
			.withMessage(
					"The lease on [order:42] can't be extended by PT18S: its maximum hold of PT20S ends in PT17.5S");
		lease.extend(Duration.ofSeconds(17));
	}

	@Test
	void verifyAsksTheStoreAndChangesNothing() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		Duration before = lease.remaining();

		lease.verify();

		assertThat(lease.remaining()).isEqualTo(before);
		assertThat(this.fixture.backend.renewals).hasValue(1);
	}

	@Test
	void verifyReportsALoss() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.backend.forceReleaseSilently(EngineFixture.KEY);

		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::verify);
		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	void verifyThatCanNotAskLeavesTheLeaseAsItIs() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.backend.cutOff();

		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(lease::verify);
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void verifyAfterTheReleaseIsAMistake() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		lease.release();

		assertThatIllegalStateException().isThrownBy(lease::verify).withMessageContaining("released");
	}

	@Test
	void listenerThatIsAddedAfterTheLossIsNotifiedAtOnce() {
		Lease lease = this.fixture.template.acquire(REQUEST.withoutRenewal());
		this.fixture.advance(TTL);

		lease.onLost(this.told::add);

		await().untilAsserted(() -> assertThat(this.told).containsExactly(lease));
	}

	@Test
	void listenerIsNeverNotifiedAfterARelease() {
		Lease lease = acquireWatched();
		lease.release();
		Lease watchedToo = this.fixture.template.acquire(LockRequest.of("other").withoutRenewal().ttl(TTL));
		watchedToo.onLost(this.told::add);

		this.fixture.advance(Duration.ofMinutes(1));

		// The second loss is reported on the same executor, after all earlier events.
		await().untilAsserted(() -> assertThat(this.told).containsExactly(watchedToo));
	}

	@Test
	void secondReleaseRepeatsTheFirstAnswer() {
		Lease lease = this.fixture.template.acquire(REQUEST);

		assertThat(lease.release()).isTrue();
		assertThat(lease.release()).isTrue();
		assertThat(this.fixture.backend.releases).hasValue(1);
	}

	@Test
	void releaseThatIsNotConfirmedIsSettledInTheBackground() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.backend.cutOff();

		assertThat(lease.release()).isTrue();
		assertThat(this.fixture.inStore()).isPresent();
		this.fixture.backend.restore();
		this.fixture.advance(Duration.ofSeconds(1));

		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void releaseThatIsSettledInTheBackgroundStillHonoursTheMinimumHold() {
		Lease lease = this.fixture.template.acquire(REQUEST.minHold(Duration.ofSeconds(5)));
		this.fixture.backend.cutOff();
		lease.release();
		this.fixture.backend.restore();
		this.fixture.advance(Duration.ofSeconds(4));

		assertThat(this.fixture.other.tryAcquire(REQUEST)).isEmpty();
		this.fixture.advance(Duration.ofSeconds(1));
		assertThat(this.fixture.other.tryAcquire(REQUEST)).isPresent();
	}

	@Test
	void suspendedMachineHoldsNothingUntilTheStoreHasConfirmed() {
		Lease lease = acquireWatched();
		this.fixture.advance(Duration.ofMillis(500));
		this.fixture.backend.holdAnswers();
		this.fixture.clock.jumpWall(Duration.ofSeconds(2));

		this.fixture.advance(Duration.ofMillis(250));
		assertThat(lease.isHeld()).isFalse();
		this.fixture.backend.letThrough();

		assertThat(lease.isHeld()).isTrue();
		assertThat(this.told).isEmpty();
	}

	@Test
	void wallClockThatIsSetForwardLosesNothingThatTheStoreConfirms() {
		Lease lease = acquireWatched();
		Lease notRenewed = this.fixture.template.acquire(LockRequest.of("not renewed").ttl(TTL).withoutRenewal());
		this.fixture.advance(Duration.ofMillis(500));

		this.fixture.clock.jumpWall(Duration.ofMinutes(10));
		this.fixture.advance(Duration.ofMillis(250));

		assertThat(lease.isHeld()).isTrue();
		assertThat(notRenewed.isHeld()).isTrue();
		this.fixture.advance(TTL);
		assertThat(lease.isHeld()).isTrue();
		assertThat(notRenewed.isHeld()).isFalse();
		assertThat(this.told).isEmpty();
	}

	@Test
	void renewalThatIsUnderWayWhenTheWallClockIsSetLosesNothing() {
		Lease lease = acquireWatched();
		this.fixture.backend.holdAnswers();
		this.fixture.advance(TTL.dividedBy(3));
		assertThat(this.fixture.backend.isHoldingBack()).isTrue();
		this.fixture.clock.jumpWall(Duration.ofMinutes(10));
		this.fixture.advance(Duration.ofMillis(250));

		this.fixture.backend.letThrough();
		this.fixture.advance(Duration.ofSeconds(1));

		assertThat(lease.isHeld()).isTrue();
		assertThat(this.told).isEmpty();
	}

	@Test
	void suspectedLeaseThatAForcedReleaseAsksForIsKept() {
		Lease lease = acquireWatched();
		this.fixture.advance(Duration.ofMillis(250));
		this.fixture.backend.cutOff();
		this.fixture.clock.jumpWall(Duration.ofSeconds(2));
		this.fixture.advance(Duration.ofMillis(250));
		this.fixture.backend.restore();
		assertThat(lease.isHeld()).isFalse();

		this.fixture.backend.beforeForcedRelease(() -> {
			throw new IllegalStateException("not sent");
		});
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> new DefaultLocks(this.fixture.engine).forceRelease(EngineFixture.KEY));

		assertThat(lease.isHeld()).isTrue();
		this.fixture.advance(TTL.multipliedBy(2));
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.told).isEmpty();
	}

	@Test
	void machineThatWasSuspendedHasLostWhatTheStoreNoLongerHas() {
		Lease lease = acquireWatched();
		this.fixture.advance(Duration.ofMillis(500));
		this.fixture.backend.forceReleaseSilently(EngineFixture.KEY);
		this.fixture.clock.jumpWall(Duration.ofSeconds(20));

		this.fixture.advance(Duration.ofMillis(250));

		assertThat(lease.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(this.told).hasSize(1));
	}

	@Test
	void machineThatWasSuspendedBeyondTheTtlHasLostWhatTheStoreCanNotConfirm() {
		Lease lease = acquireWatched();
		this.fixture.advance(Duration.ofMillis(500));
		this.fixture.backend.cutOff();
		this.fixture.clock.jumpWall(Duration.ofSeconds(20));

		this.fixture.advance(Duration.ofMillis(250));

		assertThat(lease.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(this.told).hasSize(1));
	}

	@Test
	void grantThatWasUnderWayWhileTheMachineWasSuspendedIsAskedForAgain() {
		this.fixture.backend.holdAnswers();
		var waiting = this.fixture.template.acquireAsync(REQUEST).toCompletableFuture();
		this.fixture.clock.jumpWall(Duration.ofSeconds(5));

		this.fixture.backend.letThrough();

		assertThat(waiting.orTimeout(10, TimeUnit.SECONDS).join().isHeld()).isTrue();
		assertThat(this.fixture.backend.attempts).hasValue(1);
	}

	@Test
	void grantThatWasLostWhileTheMachineWasSuspendedIsNone() {
		this.fixture.backend.holdAnswers();
		var waiting = this.fixture.template.acquireAsync(REQUEST).toCompletableFuture();
		this.fixture.backend.forceReleaseSilently(EngineFixture.KEY);
		this.fixture.clock.jumpWall(Duration.ofSeconds(5));

		this.fixture.backend.letThrough();

		assertThat(waiting).isNotDone();
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void grantThatCanNotBeConfirmedAfterASuspensionIsGivenBack() {
		this.fixture.backend.holdAnswers();
		var waiting = this.fixture.template.acquireAsync(REQUEST).toCompletableFuture();
		this.fixture.clock.jumpWall(Duration.ofSeconds(5));
		this.fixture.backend.cutOff();

		this.fixture.backend.letThrough();

		assertThat(waiting).isNotDone();
		assertThat(this.fixture.backend.releases).hasValue(1);
	}

	@Test
	void extensionBeyondTheLongestHoldIsRefused() {
		Lease lease = this.fixture.template.acquire(REQUEST);

		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> lease.extend(Duration.ofDays(72 * 365)))
			.withMessage("The lease on [order:42] can't be extended by PT630720H:"
					+ " the time must be more than zero and at most 3650 days");
		lease.extend(Duration.ofDays(3650));
	}

	@Test
	void wallClockThatGoesBackChangesNothing() {
		Lease lease = acquireWatched();
		this.fixture.advance(Duration.ofMillis(500));

		this.fixture.clock.jumpWall(Duration.ofHours(-3));
		this.fixture.advance(Duration.ofSeconds(60));

		assertThat(lease.isHeld()).isTrue();
		assertThat(this.told).isEmpty();
	}

	private Lease acquireWatched() {
		Lease lease = this.fixture.template.acquire(REQUEST);
		lease.onLost(this.told::add);
		return lease;
	}

}
