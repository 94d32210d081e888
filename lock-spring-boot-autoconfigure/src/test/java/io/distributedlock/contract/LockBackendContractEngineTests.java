package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.contract.BrokenStore.Decorator;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the contract also detects faulty stores through the engine.
 */
class LockBackendContractEngineTests {

	@Test
	void busyFreeLockIsFoundOut() {
		AtomicInteger attempts = new AtomicInteger();
		assertFoundOut(
				outcomes((request, outcome) -> (attempts.incrementAndGet() % 50 == 0)
						? new AttemptOutcome.Busy(null, Duration.ofMillis(10)) : outcome),
				"tryOnAFreeLockSucceedsEveryTime");
	}

	@Test
	void faultForBusyIsFoundOut() {
		assertFoundOut(
				outcomes((request, outcome) -> (outcome instanceof AttemptOutcome.Busy)
						? new AttemptOutcome.Unavailable(new IllegalStateException("conflict"), false) : outcome),
				"tryOnALockThatAnotherEngineHoldsIsBusy", "waitForALockThatAnotherEngineHoldsEndsBusy");
	}

	@Test
	void busyForFaultIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
					Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
				return super.attempt(target, request, attempt)
					.exceptionally((failure) -> new AttemptOutcome.Busy(null, Duration.ofSeconds(1)));
			}

		}, "tryOfAnEngineThatIsCutOffIsUnavailable", "waitOfAnEngineThatIsCutOffIsUnavailableWhenItsTimeIsOver");
	}

	@Test
	void clientThatStaysCutOffIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public void setCutOff(boolean cutOff) {
				super.setCutOff(cutOff || isCutOff());
			}

		}, "nextCallAfterACutWorks", "waiterSitsACutOut", "cutShorterThanTheTtlLosesNoLease");
	}

	@Test
	void lostWakeUpsAreFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public Contender contend(LockTarget target, Runnable wakeUp) {
				return super.contend(target, () -> {
				});
			}

		}, "waiterIsServedSoonAfterAnotherEngineHasReleased",
				"asynchronousWaiterIsServedSoonAfterAnotherEngineHasReleased");
	}

	@Test
	void leaseThatIsLongerThanAskedIsFoundOut() {
		assertFoundOut(ttls((ttl) -> ttl.plusSeconds(5)), "waiterIsServedSoonAfterTheLeaseOfACrashedHolderRanOut");
	}

	@Test
	void leaseThatIsShorterThanAskedIsFoundOut() {
		assertFoundOut(ttls((ttl) -> ttl.dividedBy(4)), "waiterIsServedSoonAfterTheLeaseOfACrashedHolderRanOut",
				"holderThatIsCutOffHasLostItsLeaseBeforeAnotherIsGrantedTheLock",
				"renewalKeepsALeaseOverSeveralTtlsAgainstAllContenders", "renewalsThatFailAreRepeatedInTime");
	}

	@Test
	void renewalThatIsOnlyClaimedIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				return CompletableFuture.completedFuture(renewals.stream()
					.<RenewalOutcome>map((renewal) -> new RenewalOutcome.Renewed(
							LockClock.validUntil(clock.nanoTime(), renewal.ttl())))
					.toList());
			}

		}, "renewalKeepsALeaseOverSeveralTtlsAgainstAllContenders", "leaseThatFollowsALostOneIsRenewedLikeAnyOther",
				"holderThatIsCutOffHasLostItsLeaseBeforeAnotherIsGrantedTheLock");
	}

	@Test
	void releaseThatIsOnlyClaimedIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return CompletableFuture.completedFuture(true);
			}

		}, "tryOnAFreeLockSucceedsEveryTime", "nothingIsRenewedAfterTheRelease", "engineShowsWhatAnotherOneHolds",
				"maximumHoldEndsALeaseForItsHolderFirst", "stopFreesSoonWhatIsHeld", "stopUnderLoadLeavesNothing",
				"waiterOfAStoppedEngineEndsAndBlocksNoOther", "interruptedWaiterRunsNoBodyAndKeepsItsInterrupt");
	}

	@Test
	void releaseThatIsLostNowAndThenIsFoundOut() {
		AtomicInteger releases = new AtomicInteger();
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return (releases.incrementAndGet() % 20 == 0) ? CompletableFuture.completedFuture(true)
						: super.release(grant, cooldown);
			}

		}, "grantsThatRaceWithInterruptCancellationAndTimeOutLeaveNothing");
	}

	@Test
	void releaseThatRenewsIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return super.renew(List.of(new Renewal(grant, Duration.ofHours(1)))).thenApply((outcomes) -> true);
			}

		}, "nothingIsRenewedForThoseWhoGaveUp", "nothingIsRenewedAfterTheRelease");
	}

	@Test
	void releaseWithoutOwnerCheckIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return forceRelease(grant.target().key(), cooldown);
			}

		}, "holderThatWasCutOffIsNotifiedOnceAndReleasesNoOtherLock");
	}

	@Test
	void missingCooldownIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return super.release(grant, Duration.ZERO);
			}

		}, "minimumHoldOutlivesTheRelease", "minimumHoldOutlivesTheStopOfItsEngine");
	}

	@Test
	void tokensThatAreUsedAgainAndBodiesThatOverlapAreFoundOut() {
		String[] races = { "bodiesOfTwoEnginesNeverOverlapAndTheirTokensGrow",
				"leasesThatArePassedOnInTwoEnginesNeverOverlapAndTheirTokensGrow" };
		assertFoundOut(SameTokens::new, races);
		assertFoundOut(
				outcomes((request, outcome) -> (outcome instanceof AttemptOutcome.Busy) ? forged(request) : outcome),
				races);
	}

	@Test
	void forcedReleaseThatIsOnlyClaimedIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
				return CompletableFuture.completedFuture(true);
			}

		}, "leaseOfAForcedReleaseIsLostForItsHolder", "engineShowsWhatAnotherOneHolds");
	}

	@Test
	void clientThatCannotBeStartedAgainIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public void close() {
				setCutOff(true);
				super.close();
			}

		}, "engineThatIsStartedAgainAcquiresRenewsAndWaits");
	}

	@Test
	void listThatIsEmptyIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<LockPage> list(@Nullable String next, int limit) {
				return CompletableFuture.completedFuture(new LockPage(List.of(), null));
			}

		}, "engineShowsWhatAnotherOneHolds");
	}

	private static AttemptOutcome forged(LeaseRequest request) {
		return new AttemptOutcome.Granted(new LeaseGrant(LockTarget.exclusive("forged"), request.ownerId(),
				new TokenRange(1, 1), Long.MAX_VALUE / 2));
	}

	private static Decorator outcomes(BiFunction<LeaseRequest, AttemptOutcome, AttemptOutcome> change) {
		return (client, clock) -> new CutOffBackend(client) {

			@Override
			protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
					Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
				return super.attempt(target, request, attempt).thenApply((outcome) -> change.apply(request, outcome));
			}

		};
	}

	/**
	 * Return a decorator for a store that grants leases another TTL than the holder
	 * requested.
	 */
	private static Decorator ttls(UnaryOperator<Duration> change) {
		return (client, clock) -> new CutOffBackend(client) {

			@Override
			protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
					Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
				long validUntil = LockClock.validUntil(clock.nanoTime(), request.ttl());
				LeaseRequest changed = new LeaseRequest(request.ownerId(), change.apply(request.ttl()), request.span(),
						request.tick(), request.waiting(), request.timeout(), request.patience());
				return super.attempt(target, changed, attempt)
					.thenApply((outcome) -> (outcome instanceof AttemptOutcome.Granted granted)
							? new AttemptOutcome.Granted(
									new LeaseGrant(target, request.ownerId(), granted.grant().tokens(), validUntil))
							: outcome);
			}

		};
	}

	private static void assertFoundOut(Decorator decorator, String... tests) {
		assertThat(BrokenStore.failures(decorator, tests)).containsExactlyInAnyOrder(tests);
	}

	/**
	 * A client that counts its tokens from one for every grant.
	 */
	private static final class SameTokens extends CutOffBackend {

		private final Map<OwnerId, LeaseGrant> real = new ConcurrentHashMap<>();

		SameTokens(LockBackend delegate, VirtualLockClock clock) {
			super(delegate);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			return super.attempt(target, request, attempt).thenApply((outcome) -> {
				if (!(outcome instanceof AttemptOutcome.Granted granted)) {
					return outcome;
				}
				LeaseGrant grant = granted.grant();
				this.real.put(grant.ownerId(), grant);
				return new AttemptOutcome.Granted(new LeaseGrant(target, grant.ownerId(),
						new TokenRange(1, grant.token().count()), grant.validUntil()));
			});
		}

		@Override
		public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
			return super.release(this.real.getOrDefault(grant.ownerId(), grant), cooldown);
		}

	}

}
