package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.contract.BrokenStore.Decorator;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the contract detects stores that break the rules of members and permits.
 */
class LockBackendContractGroupTests {

	@Test
	void oneExpiryForAllMembersIsFoundOut() {
		Queue<LeaseGrant> granted = new ConcurrentLinkedQueue<>();
		assertFoundOut((client, clock) -> new GrantChange(client) {

			@Override
			AttemptOutcome granted(LeaseRequest request, LeaseGrant grant) {
				granted.add(grant);
				renewAll(grant, request.ttl());
				return super.granted(request, grant);
			}

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				renewals.forEach((renewal) -> renewAll(renewal.grant(), renewal.ttl()));
				return super.renew(renewals);
			}

			private void renewAll(LeaseGrant grant, Duration ttl) {
				super.renew(granted.stream()
					.filter((other) -> other.target().equals(grant.target()))
					.map((other) -> new Renewal(other, ttl))
					.toList());
			}

		}, "renewalTouchesNoOtherMember", "memberOutlivesABriefOneThatCameBefore");
	}

	@Test
	void gateThatIsSetToTheTtlOfTheLatestMemberIsFoundOut() {
		assertFoundOut((client, clock) -> new BrokenGate(client, clock) {

			@Override
			AttemptOutcome granted(LeaseRequest request, LeaseGrant grant) {
				openAfter(grant.target().key(), request.ttl());
				return super.granted(request, grant);
			}

		}, "membersWithABriefAndALongTtlExpireEachOnItsOwn");
	}

	@Test
	void gateThatARenewalLeavesIsFoundOut() {
		assertFoundOut((client, clock) -> new BrokenGate(client, clock) {

			@Override
			AttemptOutcome granted(LeaseRequest request, LeaseGrant grant) {
				if (listed(grant.target().key()).size() == 1) {
					openAfter(grant.target().key(), request.ttl());
				}
				return super.granted(request, grant);
			}

		}, "renewedMemberKeepsTheKeyUntilItsNewExpiry");
	}

	@Test
	void gateThatAnyReleaseOpensIsFoundOut() {
		assertFoundOut((client, clock) -> new BrokenGate(client, clock) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				openAfter(grant.target().key(), Duration.ZERO);
				return super.release(grant, cooldown);
			}

		}, "membersHoldTheKeyTogetherAndExcludeAWriterUntilTheLastOneHasLeft",
				"secondReleaseOfAMemberFindsNothingAndDoesNoHarm",
				"releaseOfOneMemberLeavesTheKeyToTheLatestExpiryOfTheOthers", "historiesOfOneKeyFollowTheRules");
	}

	@Test
	void gateThatIsShortenedToTheLeastExpiryIsFoundOut() {
		assertFoundOut((client, clock) -> new BrokenGate(client, clock) {

			@Override
			public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
				String key = grant.target().key();
				CompletionStage<Boolean> released = super.release(grant, cooldown);
				listed(key).stream()
					.map(LockInfo::remaining)
					.min(Duration::compareTo)
					.ifPresent((rest) -> openAfter(key, rest));
				return released;
			}

		}, "releaseOfOneMemberLeavesTheKeyToTheLatestExpiryOfTheOthers");
	}

	@Test
	void gateThatStaysShutAfterTheLastMemberIsFoundOut() {
		Set<String> shut = ConcurrentHashMap.newKeySet();
		assertFoundOut((client, clock) -> new GrantChange(client) {

			@Override
			protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
					Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
				return (!target.isGroup() && shut.contains(target.key()))
						? CompletableFuture.completedFuture(new AttemptOutcome.Busy(null, Duration.ofSeconds(1)))
						: super.attempt(target, request, attempt);
			}

			@Override
			AttemptOutcome granted(LeaseRequest request, LeaseGrant grant) {
				if (listed(grant.target().key()).size() > 1) {
					shut.add(grant.target().key());
				}
				return super.granted(request, grant);
			}

		}, "twoLastMembersThatReleaseAtOnceFreeTheKeyAtOnce", "lastMemberThatExpiresFreesTheKey",
				"writerGetsTheKeySoonAfterTheLastMemberHasLeft");
	}

	@Test
	void renewalThatRevivesAMemberIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				for (Renewal renewal : renewals) {
					GroupPart.Group group = new GroupPart.Group(renewal.grant().target().mode(), GroupPart.AMPLE);
					ContractPart.attempt(this, renewal.grant().target(),
							GroupPart.request(group, renewal.grant().ownerId(), Duration.ofSeconds(60), 1));
				}
				return CompletableFuture.completedFuture(renewals.stream()
					.<RenewalOutcome>map((renewal) -> new RenewalOutcome.Renewed(renewal.grant().validUntil()))
					.toList());
			}

		}, "expiredMemberIsNeverRevived", "memberOfAnEndedGroupIsNotRevivedByTheNextOne",
				"onlyTheOwnerOfAMemberRenewsAndReleasesIt", "expiredPermitThatIsRenewedTakesNoPlace",
				"membersOfAForcedGroupAreNotRevivedByTheNextOne");
	}

	@Test
	void forcedReleaseThatLeavesMembersToTheNextGroupIsFoundOut() {
		Queue<LeaseGrant> granted = new ConcurrentLinkedQueue<>();
		Queue<OwnerId> forced = new ConcurrentLinkedQueue<>();
		assertFoundOut((client, clock) -> new GrantChange(client) {

			@Override
			AttemptOutcome granted(LeaseRequest request, LeaseGrant grant) {
				granted.add(grant);
				return super.granted(request, grant);
			}

			@Override
			public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
				granted.stream()
					.filter((grant) -> grant.target().key().equals(key))
					.forEach((grant) -> forced.add(grant.ownerId()));
				return super.forceRelease(key, cooldown);
			}

			@Override
			public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
				LeaseGrant grant = renewals.get(0).grant();
				return (forced.contains(grant.ownerId()) && !listed(grant.target().key()).isEmpty())
						? CompletableFuture.completedFuture(List.of(new RenewalOutcome.Renewed(grant.validUntil())))
						: super.renew(renewals);
			}

		}, "membersOfAForcedGroupAreNotRevivedByTheNextOne");
	}

	@Test
	void forcedReleaseThatEndsOneMemberIsFoundOut() {
		Queue<LeaseGrant> granted = new ConcurrentLinkedQueue<>();
		assertFoundOut((client, clock) -> new GrantChange(client) {

			@Override
			AttemptOutcome granted(LeaseRequest request, LeaseGrant grant) {
				granted.add(grant);
				return super.granted(request, grant);
			}

			@Override
			public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
				for (LeaseGrant grant : granted) {
					if (grant.target().key().equals(key) && ContractPart.release(this, grant, cooldown)) {
						return CompletableFuture.completedFuture(true);
					}
				}
				return super.forceRelease(key, cooldown);
			}

		}, "forcedReleaseEndsTheWholeGroup", "membersOfAForcedGroupAreNotRevivedByTheNextOne",
				"historiesOfOneKeyFollowTheRules");
	}

	@Test
	void missingCooldownOfAForcedGroupIsFoundOut() {
		assertFoundOut(LockBackendContractTests.forcedCooldown(Duration.ZERO),
				"forcedReleaseOfAGroupBeginsACooldownForEverybody", "cooldownOfAForcedGroupLastsForItsTimeAndNoLonger");
	}

	@Test
	void missingPlaceDuringTheCooldownOfAMemberIsFoundOut() {
		assertFoundOut(LockBackendContractTests.cooldown(Duration.ZERO),
				"memberThatIsReleasedWithACooldownKeepsItsPlaceWithoutAnOwner", "cooldownOfAPermitCountsAsOne");
	}

	@Test
	void abandonmentOfTheWholeGroupIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<Void> abandon(List<Orphan> orphans) {
				orphans.forEach((orphan) -> forceRelease(orphan.target().key(), Duration.ZERO));
				return CompletableFuture.completedFuture(null);
			}

		}, "abandonedMemberEndsAlone", "membersOfAForcedGroupAreNotRevivedByTheNextOne");
	}

	@Test
	void attemptThatEntersAgainWhenItIsSentAgainIsFoundOut() {
		Set<OwnerId> sent = ConcurrentHashMap.newKeySet();
		assertFoundOut(
				requests((target, request) -> (target.isGroup() && !sent.add(request.ownerId()))
						? change(request, OwnerId.random(), request.permits(), request.waiting()) : request),
				"attemptOfAMemberThatIsSentAgainKeepsItsGrant", "attemptOfAPermitThatIsSentAgainTakesOnePlace",
				"historiesOfOneKeyFollowTheRules");
	}

	@Test
	void kindsThatMixAreFoundOut() {
		assertFoundOut((client, clock) -> new GrantChange(client) {

			@Override
			public Contender contend(LockTarget target, Runnable wakeUp) {
				return super.contend(
						(target.mode() == LockMode.PERMITS) ? LockTarget.of(target.key(), LockMode.SHARED) : target,
						wakeUp);
			}

		}, "groupIsFreeForAnotherOneAtOnceAfterItsEnd", "memberThatWaitsClosesNothing", "memberIsGrantedAsAsked");
	}

	@Test
	void oneMorePermitIsFoundOut() {
		assertFoundOut(permits((key, permits) -> permits + 1), "permitsAreCountedExactly",
				"onePermitExcludesAnotherOneAndAWriterAndTheReverse", "permitOfAHolderThatHasCrashedIsFreeAfterItsTtl",
				"crowdGetsExactlyThePermitsThatThereAre", "historiesOfOneKeyFollowTheRules",
				"groupsAndWritersNeverMixAndPermitsAreNeverExceeded");
	}

	@Test
	void storedNumberOfPermitsIsFoundOut() {
		Map<String, Integer> stored = new ConcurrentHashMap<>();
		assertFoundOut(permits((key, permits) -> stored.computeIfAbsent(key, (absent) -> permits)),
				"numberOfPermitsThatIsLoweredWhileMoreAreHeldCountsFromThereOn", "cooldownOfAPermitCountsAsOne",
				"historiesOfOneKeyFollowTheRules");
	}

	@Test
	void largestNumberOfPermitsSoFarIsFoundOut() {
		Map<String, Integer> largest = new ConcurrentHashMap<>();
		assertFoundOut(permits((key, permits) -> largest.merge(key, permits, Math::max)),
				"numberOfPermitsThatIsLoweredWhileMoreAreHeldCountsFromThereOn", "historiesOfOneKeyFollowTheRules",
				"groupsAndWritersNeverMixAndPermitsAreNeverExceeded");
	}

	@Test
	void wakeUpsOfMembersThatGetLostAreFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public Contender contend(LockTarget target, Runnable wakeUp) {
				return super.contend(target, target.isGroup() ? () -> {
				} : wakeUp);
			}

		}, "waiterGetsAPermitSoonAfterOneOfSeveralIsReleased", "waiterGetsAPermitSoonAfterOneOfSeveralIsAbandoned",
				"memberGetsTheKeySoonAfterTheReleaseOfAWriter", "withdrawalOfTheWriterOpensTheDoor");
	}

	@Test
	void tokensThatMembersShareAreFoundOut() {
		assertFoundOut(LockBackendContractGrantTests.tokens((clock, real) -> new TokenRange(1, real.count())),
				"tokensOfReadersAreUniqueAndOrderedAroundWritersWithAnySpan",
				"tokensOfPermitsAreUniqueAndOrderedAroundWriters",
				"groupsAndWritersNeverMixAndPermitsAreNeverExceeded");
	}

	@Test
	void spanThatTheCounterDoesNotCoverIsFoundOut() {
		assertFoundOut(LockBackendContractGrantTests.tokens((clock, real) -> new TokenRange(real.first(), 8)),
				"tokensOfReadersAreUniqueAndOrderedAroundWritersWithAnySpan",
				"groupsAndWritersNeverMixAndPermitsAreNeverExceeded");
	}

	@Test
	void memberWithTheGreatestTokenThatIsFoundIsFoundOut() {
		assertFoundOut((client, clock) -> new GrantChange(client) {

			@Override
			public CompletionStage<Optional<LockInfo>> find(String key) {
				return CompletableFuture.completedFuture(listed(key).stream().reduce((one, other) -> other));
			}

		}, "memberWithTheSmallestTokenIsFound", "historiesOfOneKeyFollowTheRules");
	}

	@Test
	void listWithOneMemberOfEachKeyIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<LockPage> list(@Nullable String next, int limit) {
				return super.list(next, limit).thenApply((page) -> new LockPage(List.copyOf(page.locks()
					.stream()
					.collect(Collectors.toMap(LockInfo::key, Function.identity(), (one, other) -> one))
					.values()), page.next()));
			}

		}, "eachMemberIsListed", "restOfEachMemberIsItsOwn", "allMembersOfAKeyAreOnOnePageOfAnySize",
				"historiesOfOneKeyFollowTheRules");
	}

	@Test
	void pageThatCountsMembersIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public CompletionStage<LockPage> list(@Nullable String next, int limit) {
				return super.list(next, limit).thenApply((page) -> (page.locks().size() <= limit) ? page
						: new LockPage(page.locks().subList(0, limit), page.locks().get(limit - 1).key()));
			}

		}, "allMembersOfAKeyAreOnOnePageOfAnySize");
	}

	@Test
	void writerThatWaitsForMembersAndIsNeverReportedIsFoundOut() {
		assertFoundOut((client, clock) -> new CutOffBackend(client) {

			@Override
			public BackendConnection connect(BackendListener listener) {
				return super.connect(listener::leaseLost);
			}

		}, "renewalOfAMemberReportsTheWriterThatWaits", "releaseOfAMemberReportsTheWriterThatWaits");
	}

	private static Decorator permits(Permits change) {
		return requests((target, request) -> (target.mode() == LockMode.PERMITS)
				? change(request, request.ownerId(), change.of(target.key(), request.permits()), request.waiting())
				: request);
	}

	static Decorator requests(RequestChange change) {
		return (client, clock) -> new CutOffBackend(client) {

			@Override
			protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
					Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
				return super.attempt(target, change.apply(target, request), attempt);
			}

		};
	}

	static LeaseRequest change(LeaseRequest request, OwnerId ownerId, int permits, boolean waiting) {
		return new LeaseRequest(ownerId, request.ttl(), request.span(), permits, request.tick(), waiting,
				request.timeout(), request.patience());
	}

	private static void assertFoundOut(Decorator decorator, String... tests) {
		assertThat(BrokenStore.failures(decorator, tests)).containsExactlyInAnyOrder(tests);
	}

	/**
	 * Returns the number of permits that a store counts with.
	 */
	private interface Permits {

		int of(String key, int permits);

	}

	/**
	 * Changes the request of an attempt.
	 */
	interface RequestChange {

		LeaseRequest apply(LockTarget target, LeaseRequest request);

	}

	/**
	 * A client that sees each grant to a member before its caller does.
	 */
	abstract static class GrantChange extends CutOffBackend {

		GrantChange(LockBackend delegate) {
			super(delegate);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			return super.attempt(target, request, attempt)
				.thenApply((outcome) -> (target.isGroup() && outcome instanceof AttemptOutcome.Granted granted)
						? granted(request, granted.grant()) : outcome);
		}

		AttemptOutcome granted(LeaseRequest request, LeaseGrant grant) {
			return new AttemptOutcome.Granted(grant);
		}

		final List<LockInfo> listed(String key) {
			return connection().list(null, Integer.MAX_VALUE)
				.toCompletableFuture()
				.join()
				.locks()
				.stream()
				.filter((lock) -> lock.key().equals(key))
				.toList();
		}

	}

	/**
	 * A client whose writers take a key from its members after a time.
	 */
	abstract static class BrokenGate extends GrantChange {

		private static final Map<String, Long> OPEN_FROM = new ConcurrentHashMap<>();

		private final VirtualLockClock clock;

		BrokenGate(LockBackend delegate, VirtualLockClock clock) {
			super(delegate);
			this.clock = clock;
		}

		final void openAfter(String key, Duration time) {
			OPEN_FROM.put(key, this.clock.nanoTime() + time.toNanos());
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			Long open = OPEN_FROM.get(target.key());
			if (!target.isGroup() && open != null && open - this.clock.nanoTime() <= 0
					&& listed(target.key()).stream().anyMatch((lock) -> lock.mode() != LockMode.EXCLUSIVE)) {
				connection().forceRelease(target.key(), Duration.ZERO);
			}
			return super.attempt(target, request, attempt);
		}

	}

}
