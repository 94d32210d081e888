package io.distributedlock.epoch;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.QuarantineException;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TokenEpochBackend} with the local store, used as if several processes
 * shared it.
 */
class TokenEpochBackendTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	@Test
	void firstInstanceOfANewStoreIsServedAtOnceWhateverItsEpoch() {
		assertThat(EpochInstance.epochOf(instance(5).run("order:42"))).isEqualTo(5);
	}

	@Test
	void epochZeroLeavesTokensAsTheyAre() {
		LeaseGrant grant = instance(0).acquire("order:42");

		assertThat(info(store(), "order:42").fencingToken()).isEqualTo(grant.token().first());
	}

	@Test
	void instancesWithOneEpochShareAStore() {
		EpochInstance first = instance(3);
		EpochInstance second = instance(3);

		long token = first.run("order:42");

		assertThat(second.run("order:42")).isGreaterThan(token);
		assertThat(first.run("order:42")).isGreaterThan(token);
	}

	@Test
	void leaseIsFoundRenewedReleasedAndForcedWithItsEpoch() {
		EpochInstance instance = instance(7);
		LeaseGrant grant = instance.acquire("order:42");

		assertThat(info(instance.store(), "order:42").fencingToken()).isEqualTo(grant.token().first());
		assertThat(ListedLocks.all(instance.store()).toCompletableFuture().join()).extracting(LockInfo::fencingToken)
			.containsExactly(grant.token().first());
		assertThat(renew(instance, grant)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(instance.release(grant)).isTrue();
		assertThat(instance.release(grant)).isFalse();
		LeaseGrant awaited = instance.acquire("order:42");
		assertThat(instance.store().release(awaited, Duration.ZERO, Duration.ofSeconds(2)).toCompletableFuture().join())
			.isTrue();
		LeaseGrant next = instance.acquire("order:42");
		assertThat(instance.store().forceRelease("order:42", Duration.ZERO).toCompletableFuture().join()).isTrue();
		assertThat(renew(instance, next)).isInstanceOf(RenewalOutcome.Lost.class);
	}

	@Test
	void leaseThatOthersWaitForIsReportedAsItWasGranted() {
		EpochInstance holder = instance(2);
		EpochInstance other = instance(2);
		Contender contender = holder.store().contend(LockTarget.exclusive("order:42"), () -> {
		});
		LeaseGrant grant = ((AttemptOutcome.Granted) contender.attempt(EpochInstance.request(4, false))
			.toCompletableFuture()
			.join()).grant();
		assertThat(grant.token().count()).isGreaterThan(1);

		other.store().contend(LockTarget.exclusive("order:42"), () -> {
		}).attempt(EpochInstance.request(1, true));
		renew(holder, grant);

		assertThat(holder.wanted()).isNotEmpty().allSatisfy((wanted) -> assertThat(wanted).isEqualTo(grant));
	}

	@Test
	void laterEpochWaitsUntilNoAnswerToAnEarlierOneIsValid() {
		EpochInstance old = instance(1);
		old.run("order:42");
		EpochInstance raiser = instance(2);

		Throwable first = raiser.failure("order:42");

		assertThat(first).isInstanceOf(QuarantineException.class)
			.hasMessage("The store 'shop-db' is being raised to token epoch 2 ('lock.token-epoch'); until instances"
					+ " with an earlier epoch have noticed, it grants no locks");
		assertThat(((QuarantineException) first).remaining()).isEqualTo(TokenEpochCheck.WAIT);
		this.clock.advance(TokenEpochCheck.WAIT.minus(SECOND));
		assertThat(raiser.failure("order:42")).isInstanceOf(QuarantineException.class);
		this.clock.advance(SECOND);
		assertThat(EpochInstance.epochOf(raiser.run("order:42"))).isEqualTo(2);
		assertThat(EpochInstance.epochOf(instance(2).run("order:42"))).isEqualTo(2);
	}

	@Test
	void earlierEpochIsServedUntilItNoticesAndRefusedForGoodThen() {
		EpochInstance old = instance(1);
		long last = old.run("order:42");
		LeaseGrant held = old.acquire("order:43");
		instance(2).failure("order:42");

		assertThat(old.run("order:42")).as("the answer to the old instance is valid").isGreaterThan(last);
		this.clock.advance(TokenEpochCheck.DUE);
		Throwable refusal = old.failure("order:42");

		assertThat(refusal).isInstanceOf(TokenEpochException.class)
			.hasMessage("'lock.token-epoch' is 1 here, but the store 'shop-db' is being raised to token epoch 2;"
					+ " instances with an earlier epoch get no locks there");
		assertThat(old.failure("order:42")).isNotSameAs(refusal);
		assertThat(renew(old, held)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(old.release(held)).isTrue();
	}

	@Test
	void earlierEpochIsRefusedAtAStoreWithALaterOne() {
		instance(2).run("order:42");

		assertThat(instance(0).failure("order:42")).isInstanceOf(TokenEpochException.class)
			.hasMessage("'lock.token-epoch' is 0 here, but the store 'shop-db' is at token epoch 2;"
					+ " instances with an earlier epoch get no locks there");
	}

	@Test
	void ofTwoThatRaiseAtOnceTheGreaterWins() {
		instance(0).run("order:42");
		EpochInstance first = instance(1);
		EpochInstance second = instance(2);
		first.failure("order:42");
		second.failure("order:42");

		this.clock.advance(TokenEpochCheck.WAIT);

		assertThat(first.failure("order:42")).isInstanceOf(TokenEpochException.class);
		assertThat(EpochInstance.epochOf(second.run("order:42"))).isEqualTo(2);
	}

	@Test
	void raiseOfACrashedInstanceIsFinishedByTheNext() {
		instance(0).run("order:42");
		instance(1).failure("order:42");
		this.clock.advance(TokenEpochCheck.WAIT.multipliedBy(2));
		EpochInstance next = instance(1);

		assertThat(next.failure("order:42")).isInstanceOf(QuarantineException.class);
		this.clock.advance(TokenEpochCheck.WAIT);

		assertThat(EpochInstance.epochOf(next.run("order:42"))).isEqualTo(1);
	}

	@Test
	void instanceThatCrashedBeforeItWroteTheFirstEpochIsNotWaitedForForEver() {
		new EpochMarkRequest(EpochInstance.STORE, store()).ask(EpochMark.LOOK, SECOND, () -> {
		});
		EpochInstance next = instance(1);

		CompletionStage<AttemptOutcome> early = next.send("order:42");
		this.clock.advance(Duration.ofSeconds(6));
		assertThat(((AttemptOutcome.Unavailable) answer(early)).cause())
			.hasMessage("Another instance is about to write the first token epoch of the store 'shop-db'");
		assertThat(next.failure("order:42")).isInstanceOf(QuarantineException.class);
		this.clock.advance(TokenEpochCheck.WAIT);

		assertThat(EpochInstance.epochOf(next.run("order:42"))).isEqualTo(1);
	}

	@Test
	void epochZeroDoesNotWaitForEarlierEpochsSinceThereAreNone() {
		new EpochMarkRequest(EpochInstance.STORE, store()).ask(EpochMark.LOOK, SECOND, () -> {
		});
		EpochInstance next = instance(0);

		CompletionStage<AttemptOutcome> early = next.send("order:42");
		this.clock.advance(Duration.ofSeconds(11));
		assertThat(((AttemptOutcome.Unavailable) answer(early)).cause())
			.hasMessage("Another instance is about to write the first token epoch of the store 'shop-db'");

		next.run("order:42");
	}

	@Test
	void instanceThatHasFoundTheStoreNewGoesOnAfterALostAnswer() {
		LostWrite lost = new LostWrite(client());
		EpochInstance instance = new EpochInstance(this.clock, lost, 1);

		assertThat(instance.failure("order:42")).hasMessage("lost");

		instance.run("order:42");
	}

	@Test
	void epochZeroIsNotServedBesideALateFirstWriteOfALaterEpoch() {
		LateWrites late = new LateWrites(client(), this.clock);
		EpochInstance later = new EpochInstance(this.clock, late, 1);
		EpochInstance zero = instance(0);
		List<Long> tokens = new ArrayList<>();
		assertThat(later.failure("order:42")).hasMessage("lost");
		advanceAndRun(Duration.ofMillis(9880), tokens, zero);

		late.next = Duration.ofMillis(1500);
		runBeside(later, tokens, zero);

		assertThat(tokens).isSorted().isNotEmpty();
	}

	@Test
	void epochZeroIsNotServedBesideFirstWritesThatStandStill() {
		LateWrites late = new LateWrites(client(), this.clock);
		EpochInstance later = new EpochInstance(this.clock, late, 1);
		List<Long> tokens = new ArrayList<>();
		late.next = Duration.ofSeconds(11);
		late.then = late.next;

		runBeside(later, tokens, instance(0));

		assertThat(tokens).isSorted().isNotEmpty();
	}

	private void runBeside(EpochInstance later, List<Long> tokens, EpochInstance zero) {
		for (int i = 0; i < 30; i++) {
			send(later, tokens);
			advanceAndRun(Duration.ofMillis(2500), tokens, zero);
		}
	}

	private void advanceAndRun(Duration time, List<Long> tokens, EpochInstance instance) {
		for (long left = time.toMillis() / 100; left > 0; left--) {
			send(instance, tokens);
			this.clock.advance(Duration.ofMillis(100));
		}
	}

	/**
	 * Acquire, record the token, and release immediately.
	 */
	private static void send(EpochInstance instance, List<Long> tokens) {
		instance.send("order:42").thenAccept((outcome) -> {
			if (outcome instanceof AttemptOutcome.Granted granted) {
				tokens.add(granted.grant().token().first());
				instance.release(granted.grant());
			}
		});
	}

	@Test
	void announcementThatTheStoreHasForgottenIsWaitedForAnew() {
		instance(0).run("order:42");
		EpochInstance later = instance(1);
		assertThat(later.failure("order:42")).isInstanceOf(QuarantineException.class);
		this.clock.advance(Duration.ofDays(2));
		instance(0).run("order:42");
		this.clock.advance(Duration.ofSeconds(1));

		assertThat(later.failure("order:42")).isInstanceOf(QuarantineException.class);
		this.clock.advance(TokenEpochCheck.WAIT);
		later.run("order:42");
	}

	@Test
	void epochThatSomeNodesHaveMissedIsWrittenToThem() {
		new EpochMarkRequest(EpochInstance.STORE, store()).ask(EpochMark.LOOK, SECOND, () -> {
		});
		SplitAnswers split = new SplitAnswers(client());
		split.latest = EpochMark.inForce(1, this.clock.wallMillis());

		new EpochInstance(this.clock, split, 1).run("order:42");

		assertThat(instance(0).failure("order:42")).isInstanceOf(TokenEpochException.class);
	}

	@Test
	void attemptGoesOnAskingAfterTheRoundOfOneThatWaitsForLess() {
		SlowQuestions slow = new SlowQuestions(client());
		EpochInstance instance = new EpochInstance(this.clock, slow, 1);
		CompletionStage<AttemptOutcome> hasty = instance.store().contend(LockTarget.exclusive("a"), () -> {
		}).attempt(new LeaseRequest(OwnerId.random(), SECOND, 1, null, false, Duration.ofMillis(33), Duration.ZERO));
		CompletionStage<AttemptOutcome> patient = instance.send("b");

		this.clock.advance(Duration.ofMillis(50));
		slow.answer();

		assertThat(answer(hasty)).isInstanceOf(AttemptOutcome.Unavailable.class);
		assertThat(answer(patient)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void refusalOfTheReleaseIsTheCauseItself() {
		EpochInstance instance = new EpochInstance(this.clock, new RefusedReleases(client()), 1);

		assertThat(instance.failure("order:42")).isInstanceOf(LockRefusedException.class).hasMessage("not allowed");
	}

	@Test
	void instanceThatComesWhileAnotherWritesTheFirstEpochIsServedRightAfter() {
		new EpochMarkRequest(EpochInstance.STORE, store()).ask(EpochMark.LOOK, SECOND, () -> {
		});
		CompletionStage<AttemptOutcome> early = instance(1).send("order:42");
		new EpochMarkRequest(EpochInstance.STORE, store()).ask(EpochMark.inForce(1, this.clock.wallMillis()), SECOND,
				() -> {
				});

		this.clock.advance(Duration.ofMillis(100));

		assertThat(answer(early)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void answerCountsForAMinuteWhereTheStoreCanNoLongerBeAskedForItsEpoch() {
		RefusedQuestions unanswered = new RefusedQuestions(client());
		EpochInstance instance = new EpochInstance(this.clock, unanswered, 1);
		instance.run("order:42");
		unanswered.refused = true;

		this.clock.advance(TokenEpochCheck.VALIDITY.minusNanos(1));
		instance.run("order:42");
		this.clock.advance(Duration.ofNanos(1));

		assertThat(instance.failure("order:42")).hasMessage("no word of epochs");
		unanswered.refused = false;
		instance.run("order:42");
	}

	@Test
	void answerOfAMachineThatWasSuspendedDoesNotCount() {
		EpochInstance old = instance(1);
		old.run("order:42");
		EpochInstance raiser = instance(2);
		raiser.failure("order:42");

		this.clock.advance(TokenEpochCheck.WAIT);
		old.suspended(TokenEpochCheck.WAIT);
		long token = raiser.run("order:42");

		assertThat(EpochInstance.epochOf(token)).isEqualTo(2);
		assertThat(old.failure("order:42")).isInstanceOf(TokenEpochException.class);
	}

	@Test
	void storeThatIsOutOfReachIsUnavailableAsWithoutAnEpoch() {
		EpochInstance instance = instance(1);
		instance.connection().setCutOff(true);

		assertThat(instance.failure("order:42")).hasMessage("The client is cut off");

		instance.connection().setCutOff(false);
		instance.run("order:42");
	}

	@Test
	void attemptThatWaitsForTheEpochInVainIsNeverSent() {
		SlowQuestions slow = new SlowQuestions(client());
		EpochInstance instance = new EpochInstance(this.clock, slow, 1);

		CompletionStage<AttemptOutcome> attempt = instance.send("order:42");
		this.clock.advance(Duration.ofMillis(2100));
		slow.answer();

		AttemptOutcome.Unavailable outcome = (AttemptOutcome.Unavailable) answer(attempt);
		assertThat(outcome.sent()).isFalse();
		assertThat(outcome.cause()).hasMessage("The store 'shop-db' did not report its token epoch within 2000 ms");
		assertThat(store().find("order:42").toCompletableFuture().join()).isEmpty();
	}

	@Test
	void attemptOfAContenderThatWasWithdrawnMeanwhileIsNeverSent() {
		SlowQuestions slow = new SlowQuestions(client());
		EpochInstance instance = new EpochInstance(this.clock, slow, 1);
		Contender contender = instance.store().contend(LockTarget.exclusive("order:42"), () -> {
		});

		CompletionStage<AttemptOutcome> attempt = contender.attempt(EpochInstance.request(1, true));
		contender.withdraw();
		slow.answer();

		assertThat(((AttemptOutcome.Unavailable) answer(attempt)).cause())
			.hasMessage("The attempt was given up before it was made");
		assertThat(store().find("order:42").toCompletableFuture().join()).isEmpty();
	}

	@Test
	void attemptAfterAnIdleMinuteIsSentBesideTheQuestion() {
		SlowQuestions slow = new SlowQuestions(client());
		EpochInstance instance = idleInstance(slow);

		CompletionStage<AttemptOutcome> attempt = instance.send("order:42");

		assertThat(store().find("order:42").toCompletableFuture().join()).isPresent();
		assertThat(attempt.toCompletableFuture()).isNotCompleted();
		slow.answer();
		assertThat(answer(attempt)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void grantBesideAQuestionThatIsRefusedGoesBack() {
		SlowQuestions slow = new SlowQuestions(client());
		EpochInstance idle = idleInstance(slow);
		EpochInstance raiser = instance(2);
		raiser.failure("order:42");
		this.clock.advance(TokenEpochCheck.WAIT);
		raiser.run("order:42");

		CompletionStage<AttemptOutcome> attempt = idle.send("order:42");
		slow.answer();

		assertThat(((AttemptOutcome.Unavailable) answer(attempt)).cause()).isInstanceOf(TokenEpochException.class);
		assertThat(store().find("order:42").toCompletableFuture().join()).isEmpty();
	}

	@Test
	void grantBesideAQuestionWithoutAnAnswerGoesBack() {
		SlowQuestions slow = new SlowQuestions(client());
		EpochInstance idle = idleInstance(slow);

		CompletionStage<AttemptOutcome> attempt = idle.send("order:42");
		this.clock.advance(Duration.ofMillis(2100));

		assertThat(((AttemptOutcome.Unavailable) answer(attempt)).cause())
			.hasMessage("The store 'shop-db' did not report its token epoch within 2000 ms");
		assertThat(store().find("order:42").toCompletableFuture().join()).isEmpty();
	}

	@Test
	void attemptWithATickWaitsForTheAnswerSinceAGrantUsesTheTickUp() {
		SlowQuestions slow = new SlowQuestions(client());
		EpochInstance idle = idleInstance(slow);
		LeaseRequest request = new LeaseRequest(OwnerId.random(), Duration.ofSeconds(30), 1, Instant.EPOCH, false,
				Duration.ofSeconds(2), Duration.ZERO);

		CompletionStage<AttemptOutcome> attempt = idle.store().contend(LockTarget.exclusive("report"), () -> {
		}).attempt(request);

		assertThat(store().find("report").toCompletableFuture().join()).isEmpty();
		slow.answer();
		assertThat(answer(attempt)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	private EpochInstance idleInstance(SlowQuestions slow) {
		EpochInstance instance = new EpochInstance(this.clock, slow, 1);
		slow.answer();
		instance.run("order:42");
		slow.hold();
		this.clock.advance(TokenEpochCheck.VALIDITY);
		return instance;
	}

	@Test
	void markIsWrittenAgainBeforeTheStoreForgetsIt() {
		EpochInstance instance = instance(1);
		for (int hour = 0; hour < 72; hour++) {
			instance.run("order:42");
			this.clock.advance(Duration.ofHours(1).plusSeconds(1));
		}

		assertThat(instance(0).failure("order:42")).isInstanceOf(TokenEpochException.class);
	}

	@Test
	void markThatWasForgottenIsWrittenAnew() {
		EpochInstance instance = instance(1);
		instance.run("order:42");
		this.clock.advance(Duration.ofDays(2));

		instance.run("order:42");

		assertThat(instance(0).failure("order:42")).isInstanceOf(TokenEpochException.class);
	}

	@Test
	void grantThatComesAfterTheAnswerHasLostItsValidityGoesBack() {
		SlowGrants slow = new SlowGrants(client());
		EpochInstance instance = new EpochInstance(this.clock, slow, 1);
		instance.run("order:42");
		this.clock.advance(TokenEpochCheck.VALIDITY.minus(SECOND));
		slow.delayed = true;

		CompletionStage<AttemptOutcome> attempt = instance.send("order:42");
		instance.connection().setCutOff(true);
		this.clock.advance(SECOND);
		instance.connection().setCutOff(false);
		slow.answer();

		AttemptOutcome outcome = answer(attempt);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Unavailable.class);
		assertThat(((AttemptOutcome.Unavailable) outcome).cause()).isInstanceOf(LockUnavailableException.class)
			.hasMessage("The store 'shop-db' has granted 'order:42' so late that its token epoch may have been raised"
					+ " since it was last confirmed. The lock was given back");
		assertThat(store().find("order:42").toCompletableFuture().join()).isEmpty();
	}

	@Test
	void tokenThatLeavesNoRoomForTheEpochGoesBack() {
		HugeTokens huge = new HugeTokens(client());
		EpochInstance instance = new EpochInstance(this.clock, huge, 1);

		assertThat(instance.failure("order:42")).isInstanceOf(LockRefusedException.class)
			.hasMessage("The store 'shop-db' has granted 'order:42' with the token 72057594037927936, to which"
					+ " 'lock.token-epoch' (1) can't be added: with an epoch, tokens of stores must be below 2^56."
					+ " The lock was given back");
		assertThat(store().find("order:42").toCompletableFuture().join()).isEmpty();
		assertThat(new EpochInstance(this.clock,
				new HugeTokens(new LocalLockBackend(new LocalStore(this.clock), "other", this.clock)), 0)
			.acquire("order:42")
			.token()
			.first()).isEqualTo(1L << 56);
	}

	@Test
	void epochThatOnlyAPartOfTheStoreKnowsOfIsNotConfirmed() {
		SplitAnswers split = new SplitAnswers(client());
		EpochInstance instance = new EpochInstance(this.clock, split, 1);
		instance.run("order:42");
		split.latest = EpochMark.raising(3, this.clock.wallMillis());
		this.clock.advance(TokenEpochCheck.VALIDITY);

		assertThat(instance.failure("order:42")).isInstanceOf(TokenEpochException.class)
			.hasMessage("'lock.token-epoch' is 1 here, but the store 'shop-db' is being raised to token epoch 3;"
					+ " instances with an earlier epoch get no locks there");
	}

	@Test
	void markThatNoMajorityCanTellIsWrittenAnewByAnInstanceThatHadItConfirmed() {
		SplitAnswers split = new SplitAnswers(client());
		EpochInstance instance = new EpochInstance(this.clock, split, 1);
		instance.run("order:42");
		split.busy = true;
		this.clock.advance(TokenEpochCheck.VALIDITY);

		CompletionStage<AttemptOutcome> attempt = instance.send("order:42");
		this.clock.advance(SECOND);

		assertThat(answer(attempt)).isInstanceOf(AttemptOutcome.Granted.class);
		CompletionStage<AttemptOutcome> other = new EpochInstance(this.clock, split, 1).send("order:43");
		this.clock.advance(Duration.ofMillis(2100));
		assertThat(answer(other)).as("an instance that never had it confirmed")
			.isInstanceOf(AttemptOutcome.Unavailable.class);
	}

	@Test
	void keyOfTheEpochCanNotBeLocked() {
		assertThat(instance(0).failure("lock-token-epoch")).isInstanceOf(InvalidLockRequestException.class)
			.hasMessage("'lock-token-epoch' can't be locked: stores keep their token epoch under this key");
	}

	@Test
	void startForgetsWhatWasKnown() {
		EpochInstance old = instance(1);
		old.run("order:42");
		instance(2).failure("order:42");
		this.clock.advance(TokenEpochCheck.VALIDITY);
		assertThat(old.failure("order:42")).isInstanceOf(TokenEpochException.class);

		old.restart();

		assertThat(old.failure("order:42")).isInstanceOf(TokenEpochException.class);
	}

	@Test
	void idleInstanceAsksNothing() {
		instance(1).run("order:42");

		assertThat(this.clock.pending()).isZero();
	}

	private static AttemptOutcome answer(CompletionStage<AttemptOutcome> attempt) {
		assertThat(attempt.toCompletableFuture()).as("an attempt").isCompleted();
		return attempt.toCompletableFuture().join();
	}

	private EpochInstance instance(int epoch) {
		return new EpochInstance(this.clock, client(), epoch);
	}

	private LocalLockBackend client() {
		return new LocalLockBackend(this.store, "test", this.clock);
	}

	private BackendConnection store() {
		return client().connect((owner) -> {
		});
	}

	private static LockInfo info(BackendConnection store, String key) {
		return store.find(key).toCompletableFuture().join().orElseThrow();
	}

	private static RenewalOutcome renew(EpochInstance instance, LeaseGrant grant) {
		return instance.store()
			.renew(List.of(new Renewal(grant, Duration.ofSeconds(30))))
			.toCompletableFuture()
			.join()
			.get(0);
	}

	private static boolean isQuestion(LockTarget target) {
		return target.key().equals(TokenEpochBackend.KEY);
	}

	/**
	 * A store that answers all requests except those for its epoch.
	 */
	private static final class RefusedQuestions extends DecoratedBackend {

		private boolean refused;

		RefusedQuestions(LockBackend delegate) {
			super(delegate);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			return (this.refused && isQuestion(target))
					? CompletableFuture.failedFuture(new LockUnavailableException("no word of epochs"))
					: attempt.apply(request);
		}

	}

	/**
	 * A store whose answer to the first write of an epoch is lost.
	 */
	private static final class LostWrite extends DecoratedBackend {

		private boolean lost;

		LostWrite(LockBackend delegate) {
			super(delegate);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			if (isQuestion(target) && !EpochMark.LOOK.tick().equals(request.tick()) && !this.lost) {
				this.lost = true;
				return CompletableFuture.failedFuture(new LockUnavailableException("lost"));
			}
			return attempt.apply(request);
		}

	}

	/**
	 * A store that executes an epoch's next write late, or never.
	 */
	private static final class LateWrites extends DecoratedBackend {

		private final VirtualLockClock clock;

		private @Nullable Duration next;

		private Duration then = Duration.ZERO;

		LateWrites(LockBackend delegate, VirtualLockClock clock) {
			super(delegate);
			this.clock = clock;
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			if (!isQuestion(target) || EpochMark.LOOK.tick().equals(request.tick())) {
				return attempt.apply(request);
			}
			Duration delay = this.next;
			if (delay == null) {
				return CompletableFuture.failedFuture(new LockUnavailableException("lost"));
			}
			this.next = this.then;
			CompletableFuture<AttemptOutcome> answer = new CompletableFuture<>();
			this.clock.schedule(delay, () -> attempt.apply(request).thenAccept(answer::complete));
			return answer;
		}

	}

	/**
	 * A store that refuses all releases.
	 */
	private static final class RefusedReleases extends DecoratedBackend {

		RefusedReleases(LockBackend delegate) {
			super(delegate);
		}

		@Override
		public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
			return CompletableFuture.<Boolean>failedFuture(new LockRefusedException("not allowed", null))
				.thenApply((stood) -> stood);
		}

	}

	/**
	 * A store of several nodes with different knowledge of its epoch.
	 */
	private static final class SplitAnswers extends DecoratedBackend {

		private EpochMark latest = EpochMark.LOOK;

		private boolean busy;

		SplitAnswers(LockBackend delegate) {
			super(delegate);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			if (this.busy && EpochMark.LOOK.tick().equals(request.tick())) {
				return CompletableFuture.completedFuture(new AttemptOutcome.Busy(null, Duration.ofMillis(10)));
			}
			return attempt.apply(request)
				.thenApply((outcome) -> (outcome instanceof AttemptOutcome.Done done
						&& this.latest.tick().isAfter(done.tick()))
								? new AttemptOutcome.Done(done.tick(), this.latest.tick()) : outcome);
		}

	}

	/**
	 * A store that keeps back the answers to requests for its epoch until they are let
	 * through.
	 */
	private static final class SlowQuestions extends DecoratedBackend {

		private CompletableFuture<Void> let = new CompletableFuture<>();

		SlowQuestions(LockBackend delegate) {
			super(delegate);
		}

		void hold() {
			this.let = new CompletableFuture<>();
		}

		void answer() {
			this.let.complete(null);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			return isQuestion(target) ? this.let.thenCompose((done) -> attempt.apply(request)) : attempt.apply(request);
		}

	}

	/**
	 * A store that keeps back grants until they are let through.
	 */
	private static final class SlowGrants extends DecoratedBackend {

		private final CompletableFuture<Void> let = new CompletableFuture<>();

		private boolean delayed;

		SlowGrants(LockBackend delegate) {
			super(delegate);
		}

		void answer() {
			this.let.complete(null);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			if (isQuestion(target) && this.delayed) {
				return CompletableFuture.failedFuture(new LockUnavailableException("no word of epochs"));
			}
			CompletionStage<AttemptOutcome> outcome = attempt.apply(request);
			return this.delayed ? this.let.thenCompose((done) -> outcome) : outcome;
		}

	}

	/**
	 * A store with tokens of its own.
	 */
	private static final class HugeTokens extends DecoratedBackend {

		HugeTokens(LockBackend delegate) {
			super(delegate);
		}

		@Override
		protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
				Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
			return attempt.apply(request).thenApply((outcome) -> {
				if (outcome instanceof AttemptOutcome.Granted granted && !isQuestion(target)) {
					LeaseGrant grant = granted.grant();
					return new AttemptOutcome.Granted(new LeaseGrant(grant.target(), grant.ownerId(),
							new TokenRange(1L << 56, 1), grant.validUntil()));
				}
				return outcome;
			});
		}

		@Override
		public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
			return abandon(List.of(new Orphan(grant.target(), grant.ownerId()))).thenApply((done) -> true);
		}

	}

}
