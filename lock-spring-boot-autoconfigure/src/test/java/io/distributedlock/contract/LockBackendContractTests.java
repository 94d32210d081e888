package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.contract.BrokenStore.Decorator;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the contract detects stores that handle granted leases wrongly.
 */
class LockBackendContractTests {

	@Test
	void storeThatBreaksNothingPasses() {
		BrokenStore.faults((client, clock) -> new CutOffBackend(client)).forEach((test, fault) -> {
			throw new AssertionError(test + " has failed", fault);
		});
	}

	@Test
	void noPartHidesATestOfAnother() {
		List<String> tests = new ArrayList<>();
		for (Class<?> part = LockBackendContract.class; part != Object.class; part = part.getSuperclass()) {
			Stream.of(part.getDeclaredMethods())
				.filter((method) -> method.isAnnotationPresent(Test.class))
				.forEach((method) -> tests.add(method.getName()));
		}

		assertThat(tests).hasSizeGreaterThan(100).doesNotHaveDuplicates();
	}

	@Test
	void storeThatNeverReportsWaitersIsFoundOut() {
		assertThat(BrokenStore.failures((client, clock) -> new CutOffBackend(client) {

			@Override
			public BackendConnection connect(BackendListener listener) {
				return super.connect(listener::leaseLost);
			}

		}, "releaseReportsThatAnotherClientWaits")).containsExactly("releaseReportsThatAnotherClientWaits");
	}

	@Test
	void storeThatReportsWaitersThatDoNotExistIsFoundOut() {
		assertThat(BrokenStore.failures((client, clock) -> new CutOffBackend(client) {

			private BackendListener news = (ownerId) -> {
			};

			@Override
			public BackendConnection connect(BackendListener listener) {
				this.news = listener;
				return super.connect(listener);
			}

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				this.news.contended(grant, Duration.ZERO);
				return super.release(grant, cooldown);
			}

		}, "releaseWithoutWaitersReportsNoWaiter")).containsExactly("releaseWithoutWaitersReportsNoWaiter");
	}

	@Test
	void releaseWithoutOwnerCheckIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return forceRelease(grant.target().key(), cooldown);
			}

		}, "releaseComparesTheOwnerId", "staleReleaseReportsLostAndLeavesTheNextHolderAlone",
				"staleReleaseLeavesTheNextHolderInTheSameClientAlone", "secondReleaseFindsNothingAndDoesNoHarm");
	}

	@Test
	void releaseWithoutTokenCheckIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return abandon(List.of(new Orphan(grant.target(), grant.ownerId()))).thenApply((done) -> false);
			}

		}, "releaseComparesTheToken");
	}

	@Test
	void releaseThatAlwaysReportsSuccessIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return super.release(grant, cooldown).thenApply((released) -> true);
			}

		}, "releaseAfterExpiryReportsLost", "secondReleaseFindsNothingAndDoesNoHarm",
				"releaseThatSeveralThreadsMakeSucceedsForOne", "grantsNeverOverlapAndTokensGrowInTheirOrder");
	}

	@Test
	void missingCooldownIsFoundOut() {
		assertFoundOut(cooldown(Duration.ZERO), "cooldownKeepsEverybodyOut", "cooldownMayOutlastTheTtl",
				"cooldownLastsForItsTimeAndNoLonger", "neitherReleaseNorAbandonmentEndsTheCooldown");
	}

	@Test
	void cooldownOfTheWrongLengthIsFoundOut() {
		assertFoundOut(cooldown(Duration.ofMillis(500)), "cooldownLastsForItsTimeAndNoLonger",
				"cooldownMayOutlastTheTtl");
		assertFoundOut(cooldown(Duration.ofSeconds(60)), "cooldownLastsForItsTimeAndNoLonger");
	}

	@Test
	void cooldownThatTheHolderKeepsIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return cooldown.isZero() ? super.release(grant, cooldown)
						: renew(List.of(new Renewal(grant, cooldown))).thenApply((outcomes) -> true);
			}

		}, "noClientHoldsTheLockDuringTheCooldown", "releaseThatIsRepeatedLeavesTheCooldownAsItIs",
				"neitherReleaseNorAbandonmentEndsTheCooldown");
	}

	@Test
	void missingCooldownOfAForcedReleaseIsFoundOut() {
		assertFoundOut(forcedCooldown(Duration.ZERO), "forcedReleaseBeginsACooldownForEveryClient",
				"cooldownOfAForcedReleaseLastsForItsTimeAndNoLonger", "cooldownOfAForcedReleaseMayOutlastTheTtl",
				"formerHolderNeitherRevivesItsLeaseNorEndsTheCooldownOfAForcedRelease");
	}

	@Test
	void cooldownOfAForcedReleaseOfTheWrongLengthIsFoundOut() {
		assertFoundOut(forcedCooldown(Duration.ofMillis(500)), "cooldownOfAForcedReleaseLastsForItsTimeAndNoLonger",
				"cooldownOfAForcedReleaseMayOutlastTheTtl");
		assertFoundOut(forcedCooldown(Duration.ofSeconds(60)), "cooldownOfAForcedReleaseLastsForItsTimeAndNoLonger",
				"forcedReleaseDoesNotLengthenACooldown", "waiterGetsTheLockSoonAfterTheCooldownOfAForcedRelease");
	}

	@Test
	void forcedReleaseThatTouchesAFreeLockIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
				boolean held = super.forceRelease(key, cooldown).toCompletableFuture().join();
				if (!held && !cooldown.isZero()) {
					release(ContractPart.acquire(this, key, Duration.ofSeconds(60)), cooldown);
				}
				return CompletableFuture.completedFuture(held);
			}

		}, "forcedReleaseOfAFreeLockBeginsNoCooldown");
	}

	@Test
	void renewalThatShortensIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				for (Renewal renewal : renewals) {
					if (!renewal.ttl().isZero()) {
						clock.schedule(renewal.ttl(), () -> release(renewal.grant(), Duration.ZERO));
					}
				}
				return super.renew(renewals);
			}

		}, "shortRenewalLeavesALaterExpiryWhereItWas");
	}

	@Test
	void renewalThatRevivesIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				for (Renewal renewal : renewals) {
					ContractPart.attempt(this, renewal.grant().target().key(),
							ContractPart.request(renewal.grant().ownerId(), Duration.ofSeconds(60), 1, null));
				}
				return CompletableFuture.completedFuture(renewals.stream()
					.<RenewalOutcome>map((renewal) -> new RenewalOutcome.Renewed(renewal.grant().validUntil()))
					.toList());
			}

		}, "expiredLeaseIsNeverRevived", "releasedLeaseIsNeverRevived", "onlyTheOwnerRenews",
				"renewalThatRacesWithTheReleaseNeverOutlivesIt", "batchIsAnsweredLeaseByLeaseInItsOrder",
				"staleRenewalReportsLostAndLeavesTheRestOfTheNextLeaseUnchanged");
	}

	@Test
	void renewalThatDoesNothingIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				return super.renew(
						renewals.stream().map((renewal) -> new Renewal(renewal.grant(), Duration.ZERO)).toList());
			}

		}, "renewedLeaseOutlivesItsFirstTtl", "renewalReturnsTheNewEndOfTheValidity");
	}

	@Test
	void renewalOfZeroThatLengthensIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				return super.renew(renewals.stream()
					.map((renewal) -> new Renewal(renewal.grant(), renewal.ttl().plusSeconds(60)))
					.toList());
			}

		}, "renewalOfZeroChangesNothing");
	}

	@Test
	void releaseThatTakesItsOwnWorkForALossIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return super.release(grant, cooldown).exceptionallyCompose((lost) -> {
					setLosesAnswers(false);
					return super.release(grant, cooldown);
				});
			}

		}, "releaseThatWasCarriedOutAndNotAnsweredIsUnknown");
	}

	@Test
	void repeatedReleaseThatIsSureOfItselfIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return super.release(grant, cooldown).exceptionally((lost) -> true);
			}

		}, "releaseFailsAndDoesNotReportLost", "releaseThatWasCarriedOutAndNotAnsweredIsUnknown");
	}

	@Test
	void forcedReleaseThatTakesItsOwnWorkForNoneIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
				return super.forceRelease(key, cooldown).exceptionallyCompose((lost) -> {
					setLosesAnswers(false);
					return super.forceRelease(key, cooldown);
				});
			}

		}, "forcedReleaseThatIsNotAnsweredIsNeverTakenForNone");
	}

	@Test
	void abandonmentThatDoesNothingIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Void> abandon(List<Orphan> orphans) {
				return CompletableFuture.completedFuture(null);
			}

		}, "abandonedAttemptThatHadBeenGrantedFreesTheLock", "attemptThatArrivesAfterItsAbandonmentIsUndoneByTheNext",
				"severalAttemptsAreAbandonedAtOnce", "waiterGetsTheLockSoonAfterAnAbandonment");
	}

	@Test
	void abandonmentWithoutOwnerCheckIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Void> abandon(List<Orphan> orphans) {
				orphans.forEach((orphan) -> forceRelease(orphan.target().key(), Duration.ZERO));
				return CompletableFuture.completedFuture(null);
			}

		}, "abandonmentIsRepeatableAndHarmsNoLaterHolder", "abandonedAttemptThatWasBusyHarmsNotTheHolder");
	}

	@Test
	void pageThatLeavesOutALockIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<LockPage> list(@Nullable String next, int limit) {
				// Skips the first lock of each page but the first.
				return super.list(next, limit).thenApply((page) -> new LockPage(
						(next != null) ? page.locks().stream().skip(1).toList() : page.locks(), page.next()));
			}

		}, "eachLockIsOnOnePageOfAnySize");
	}

	@Test
	void pageThatIsTooLongIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<LockPage> list(@Nullable String next, int limit) {
				return super.list(next, limit + 1);
			}

		}, "eachLockIsOnOnePageOfAnySize");
	}

	@Test
	void stopThatTakesTheLeasesAlongIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public void close() {
				if (isConnected()) {
					ListedLocks.all(this)
						.thenAccept((locks) -> locks.forEach((lock) -> forceRelease(lock.key(), Duration.ZERO)));
				}
				super.close();
			}

		}, "leaseGrantedBeforeTheRestartStandsAtTheStore");
	}

	@Test
	void clientThatCannotBeStartedAgainIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public void close() {
				setCutOff(true);
				super.close();
			}

		}, "restartedClientWorks", "leaseGrantedBeforeTheRestartStandsAtTheStore", "stopIsRepeatable");
	}

	static Decorator cooldown(Duration always) {
		return (client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				return super.release(grant, cooldown.isZero() ? cooldown : always);
			}

		};
	}

	static Decorator forcedCooldown(Duration always) {
		return (client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
				return super.forceRelease(key, cooldown.isZero() ? cooldown : always);
			}

		};
	}

	private static void assertFoundOut(Decorator decorator, String... tests) {
		assertThat(BrokenStore.failures(decorator, tests)).containsExactlyInAnyOrder(tests);
	}

}
