package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.BrokenStore.Decorator;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the contract detects stores with wrong grants or wrong answers.
 */
class LockBackendContractGrantTests {

	@Test
	void lockThatEverybodyIsGrantedIsFoundOut() {
		assertFoundOut(
				outcomes((request, outcome) -> (outcome instanceof AttemptOutcome.Busy) ? forged(request) : outcome),
				"heldLockIsBusyForAnotherClientAndForItsOwn", "everyAttemptOfACrowdOnAFreeLockButOneIsBusy",
				"everyAttemptOfACrowdOnAnExpiredLeaseButOneIsBusy", "grantsNeverOverlapAndTokensGrowInTheirOrder");
	}

	@Test
	void faultForBusyIsFoundOut() {
		assertFoundOut(
				outcomes((request, outcome) -> (outcome instanceof AttemptOutcome.Busy)
						? new AttemptOutcome.Unavailable(new IllegalStateException("conflict"), false) : outcome),
				"heldLockIsBusyForAnotherClientAndForItsOwn", "everyAttemptOfACrowdOnAFreeLockButOneIsBusy",
				"grantsNeverOverlapAndTokensGrowInTheirOrder");
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

		}, "attemptOnAFreeLockIsUnavailableAndNotBusy", "attemptOnAHeldLockIsUnavailableAndNotBusy");
	}

	@Test
	void lostForFaultIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				return super.renew(renewals).exceptionally((failure) -> List.of(new RenewalOutcome.Lost()));
			}

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return super.release(grant, cooldown).exceptionally((failure) -> false);
			}

		}, "renewalIsUnknownAndNotLost", "releaseFailsAndDoesNotReportLost");
	}

	@Test
	void validityWithoutDriftAllowanceIsFoundOut() {
		assertFoundOut(validity((ttl) -> ttl), "validityIsCountedFromTheSendingLessTheDriftAllowance");
	}

	@Test
	void validityBeyondTheExpiryIsFoundOut() {
		assertFoundOut(validity((ttl) -> ttl.multipliedBy(2)), "noOtherClientIsGrantedTheLockBeforeTheValidityEnds");
	}

	@Test
	void tokensThatAreUsedAgainAreFoundOut() {
		assertFoundOut(tokens((clock, real) -> new TokenRange(1, real.count())),
				"tokensGrowOverReleaseByOneClientAndByAnother", "tokensGrowOverExpiry", "tokensGrowOverForcedRelease",
				"tokensGrowOverAbandonedAttempt", "tokensGrowOverBusyAttempts", "rangesOfAnyLengthNeverOverlap",
				"grantsNeverOverlapAndTokensGrowInTheirOrder");
	}

	@Test
	void tokensByAClockWithoutMemoryAreFoundOut() {
		assertFoundOut(tokens((clock, real) -> new TokenRange(clock.wallMillis() * 1_000, real.count())),
				"tokensGrowOverReleaseByOneClientAndByAnother", "rangesOfAnyLengthNeverOverlap");
	}

	@Test
	void rangesThatOverlapAreFoundOut() {
		assertFoundOut(tokens((clock, real) -> new TokenRange(real.first(), real.count() + 1)),
				"rangesOfAnyLengthNeverOverlap", "grantsNeverOverlapAndTokensGrowInTheirOrder");
	}

	@Test
	void keysWithoutCaseAndBlanksAreFoundOut() {
		assertFoundOut(keys((key) -> key.strip().toLowerCase(Locale.ROOT)),
				"keysAreKeptApartWhenAcquiredAndWhenReleased", "keysAreFoundAsTheyWereWritten",
				"keysAreListedAsTheyWereWritten", "keysAreTakenAwayAsTheyWereWritten");
	}

	@Test
	void keysThatAreStoredEscapedAndNeverReadBackAreFoundOut() {
		assertFoundOut(keys((key) -> key.replace("%", "%25").replace("/", "%2F")), "keysAreListedAsTheyWereWritten");
	}

	@Test
	void keysThatAreCutOffAreFoundOut() {
		assertFoundOut(keys((key) -> key.substring(0, Math.min(key.length(), 254))),
				"keysAreKeptApartWhenAcquiredAndWhenReleased");
	}

	@Test
	void missingTicksAreFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
					Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
				return super.attempt(target, new LeaseRequest(request.ownerId(), request.ttl(), request.span(), null,
						request.waiting(), request.timeout(), request.patience()), attempt);
			}

		}, "tickIsGrantedOnceAlthoughTheLockIsFreeAgain", "olderTickIsDoneAndTheNextOneIsGranted",
				"doneReportsTheLatestTickThatHasRun", "tickOfTheRunningHolderIsDoneAndTheNextOneIsBusy",
				"tickOutlivesExpiryAndForcedRelease", "tickOfACrowdIsGrantedOnce");
	}

	@Test
	void busyForDoneIsFoundOut() {
		assertFoundOut(
				outcomes((request, outcome) -> (outcome instanceof AttemptOutcome.Done)
						? new AttemptOutcome.Busy(null, Duration.ofSeconds(1)) : outcome),
				"tickIsGrantedOnceAlthoughTheLockIsFreeAgain", "olderTickIsDoneAndTheNextOneIsGranted");
	}

	@Test
	void wakeUpsThatGetLostAreFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public Contender contend(LockTarget target, Runnable wakeUp) {
				return super.contend(target, () -> {
				});
			}

		}, "waiterGetsTheLockSoonAfterTheRelease", "releaseWakesTheWaitersOfAStoreThatSaysSo",
				"waiterGetsTheLockSoonAfterAForcedRelease", "waiterGetsTheLockSoonAfterAnAbandonment",
				"waitersGetTheLockOneAfterTheOther", "restartedClientWorks");
	}

	@Test
	void pollThatIsTooLateForTheExpiryIsFoundOut() {
		assertFoundOut(
				outcomes((request, outcome) -> (outcome instanceof AttemptOutcome.Busy busy)
						? new AttemptOutcome.Busy(busy.retryAfter(), busy.pollAfter().plusSeconds(1)) : outcome),
				"waiterGetsTheLockSoonAfterTheExpiry", "waiterGetsTheLockSoonAfterTheCooldown");
	}

	@Test
	void placeInLineThatOutlivesItsContenderIsFoundOut() {
		Map<String, Queue<Contender>> lines = new ConcurrentHashMap<>();

		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			protected Contender contender(LockTarget target, Contender contender) {
				return new Contender() {

					@Override
					public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
						Queue<Contender> line = lines.computeIfAbsent(target.key(),
								(key) -> new ConcurrentLinkedQueue<>());
						if (!line.contains(this)) {
							line.add(this);
						}
						if (line.peek() != this) {
							return CompletableFuture
								.completedFuture(new AttemptOutcome.Busy(null, Duration.ofSeconds(1)));
						}
						return contender.attempt(request).whenComplete((outcome, failure) -> {
							if (outcome instanceof AttemptOutcome.Granted) {
								line.remove(this);
							}
						});
					}

					@Override
					public void withdraw() {
						contender.withdraw();
					}

				};
			}

		}, "waiterThatWithdrewBlocksNoOther", "waiterThatWithdrewIsNotGrantedTheLock",
				"attemptThatDoesNotWaitLeavesNoPlaceInLine", "waiterOfAStoppedClientBlocksNoOther");
	}

	private static AttemptOutcome forged(LeaseRequest request) {
		return new AttemptOutcome.Granted(new LeaseGrant(LockTarget.exclusive("forged"), request.ownerId(),
				new TokenRange(Long.MAX_VALUE, 1), Long.MAX_VALUE));
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

	private static Decorator validity(UnaryOperator<Duration> length) {
		return outcomes((request, outcome) -> {
			if (outcome instanceof AttemptOutcome.Granted granted) {
				LeaseGrant grant = granted.grant();
				long sentAt = grant.validUntil() - LockClock.validUntil(0, request.ttl());
				return new AttemptOutcome.Granted(new LeaseGrant(grant.target(), grant.ownerId(), grant.tokens(),
						sentAt + length.apply(request.ttl()).toNanos()));
			}
			return outcome;
		});
	}

	/**
	 * Return a decorator that returns other tokens than those that the store compares.
	 */
	static Decorator tokens(BiFunction<VirtualLockClock, TokenRange, TokenRange> change) {
		Map<OwnerId, LeaseGrant> real = new ConcurrentHashMap<>();
		return (client, clock) -> new CutOffBackend(client) {

			@Override
			protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
					Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
				return super.attempt(target, request, attempt).thenApply((outcome) -> {
					if (outcome instanceof AttemptOutcome.Granted granted) {
						LeaseGrant grant = granted.grant();
						real.put(grant.ownerId(), grant);
						TokenRange shown = change.apply(clock, grant.token());
						return new AttemptOutcome.Granted(
								new LeaseGrant(target, grant.ownerId(), shown, grant.validUntil()));
					}
					return outcome;
				});
			}

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return super.release(real.getOrDefault(grant.ownerId(), grant), cooldown);
			}

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				return super.renew(renewals.stream()
					.map((renewal) -> new Renewal(real.getOrDefault(renewal.grant().ownerId(), renewal.grant()),
							renewal.ttl()))
					.toList());
			}

		};
	}

	private static Decorator keys(UnaryOperator<String> stored) {
		return (client, clock) -> new CutOffBackend(client) {

			@Override
			public Contender contend(LockTarget target, Runnable wakeUp) {
				return super.contend(LockTarget.exclusive(stored.apply(target.key())), wakeUp);
			}

		};
	}

	private static void assertFoundOut(Decorator decorator, String... tests) {
		assertThat(BrokenStore.failures(decorator, tests)).containsExactlyInAnyOrder(tests);
	}

}
