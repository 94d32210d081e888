package io.distributedlock.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickDoneException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.DecoratedClock;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the end of acquisitions, with a lease or with an exception that gives the
 * reason.
 */
class AcquisitionTests {

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY);

	private static final Duration OVERTIME = EngineSettings.DEFAULTS.callTimeout().multipliedBy(21).dividedBy(20);

	private final EngineFixture fixture = new EngineFixture();

	@Test
	void oneAttemptSucceedsOnAFreeLock() {
		for (int i = 0; i < 100; i++) {
			Optional<Lease> lease = this.fixture.template.tryAcquire(REQUEST);

			assertThat(lease).isPresent();
			assertThat(lease.get().release()).isTrue();
		}
		assertThat(this.fixture.backend.attempts).hasValue(100);
		assertThat(this.fixture.backend.releases).hasValue(100);
	}

	@Test
	void oneAttemptLeavesNoMarkAndAWaitingOneMayLeaveOne() {
		this.fixture.other.acquire(REQUEST);

		this.fixture.template.tryAcquire(REQUEST);
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST);

		assertThat(this.fixture.backend.requests).extracting((request) -> request.waiting())
			.containsExactly(false, true);
		waiting.cancel(true);
	}

	@Test
	void busyIsReportedWithTheRestOfTheHoldersTime() {
		this.fixture.other.acquire(REQUEST.ttl(Duration.ofSeconds(10)).withoutRenewal());
		this.fixture.advance(Duration.ofSeconds(4));

		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.fixture.template.acquire(REQUEST.waitTime(Duration.ZERO)))
			.withMessageContaining("order:42")
			.satisfies((ex) -> assertThat(ex.retryAfter()).hasValue(Duration.ofSeconds(6)));
	}

	@Test
	void waiterGetsTheLockWhenAnotherClientReleasesIt() {
		Lease held = this.fixture.other.acquire(REQUEST);
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST);
		assertThat(waiting).isNotDone();

		held.release();

		assertThat(granted(waiting).fencingToken()).isGreaterThan(held.fencingToken());
	}

	@Test
	void waiterGetsTheLockWhenTheHoldersLeaseRunsOut() {
		this.fixture.other.acquire(REQUEST.ttl(Duration.ofSeconds(3)).withoutRenewal());
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST);

		this.fixture.advance(Duration.ofSeconds(4));

		assertThat(granted(waiting).isHeld()).isTrue();
	}

	@Test
	void waitTimeEndsAsBusyAndNotBefore() {
		this.fixture.other.acquire(REQUEST);
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofSeconds(2)));

		this.fixture.advance(Duration.ofMillis(1999));
		assertThat(waiting).isNotDone();
		this.fixture.advance(Duration.ofMillis(1));

		await().untilAsserted(() -> assertThat(waiting).isCompletedExceptionally());
		assertThat(failure(waiting)).isInstanceOf(LockBusyException.class);
	}

	@Test
	void timeForWhichTheFirstAttemptBlocksItsCallerIsPartOfTheWaitTime() {
		this.fixture.other.acquire(REQUEST);
		this.fixture.backend.duringNextAttempt(() -> this.fixture.advance(Duration.ofMillis(1500)));
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofSeconds(2)));

		this.fixture.advance(Duration.ofMillis(500));

		assertThat(failure(waiting)).isInstanceOf(LockBusyException.class);
	}

	@Test
	void waitWithoutLimitOutlivesAnyWaitTime() {
		Lease held = this.fixture.other.acquire(REQUEST);
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(ChronoUnit.FOREVER.getDuration()));
		this.fixture.advance(Duration.ofDays(1));
		assertThat(waiting).isNotDone();

		held.release();

		assertThat(granted(waiting).isHeld()).isTrue();
	}

	@Test
	void faultEndsOneAttemptAtOnceAndIsNeverBusy() {
		this.fixture.backend.cutOff();

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.fixture.template.tryAcquire(REQUEST))
			.withMessageContaining("order:42")
			.withMessageContaining("connection refused");
		assertThat(this.fixture.backend.attempts).hasValue(1);
	}

	@Test
	void faultIsRetriedUntilTheWaitTimeIsOver() {
		this.fixture.backend.cutOff();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofSeconds(5)));

		this.fixture.advance(Duration.ofSeconds(5));

		await().untilAsserted(() -> assertThat(waiting).isCompletedExceptionally());
		assertThat(failure(waiting)).isInstanceOf(LockUnavailableException.class);
		assertThat(this.fixture.backend.attempts.get()).isBetween(5, 20);
	}

	@Test
	void waiterGetsTheLockWhenTheStoreIsBack() {
		this.fixture.backend.cutOff();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofSeconds(5)));
		this.fixture.advance(Duration.ofSeconds(2));

		this.fixture.backend.restore();
		this.fixture.advance(Duration.ofSeconds(2));

		assertThat(granted(waiting).isHeld()).isTrue();
	}

	@Test
	void storeThatDoesNotAnswerIsUnavailableWhenTheWaitTimeIsOver() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofMillis(500)));

		this.fixture.advance(Duration.ofMillis(500));
		assertThat(waiting).isNotDone();
		this.fixture.advance(OVERTIME);

		assertThat(failure(waiting)).isInstanceOf(LockUnavailableException.class);
	}

	@Test
	void waiterBehindAnotherIsNotBusyEitherWhenTheStoreDoesNotAnswer() {
		this.fixture.backend.holdAnswers();
		acquireAsync(REQUEST);
		CompletableFuture<Lease> behind = acquireAsync(REQUEST.waitTime(Duration.ofMillis(500)));

		this.fixture.advance(Duration.ofMillis(500).plus(OVERTIME));

		assertThat(failure(behind)).isInstanceOf(LockUnavailableException.class);
	}

	@Test
	void waiterBehindALeaseOfThisJvmIsBusyWhenItsTimeIsOver() {
		this.fixture.template.acquire(REQUEST);
		CompletableFuture<Lease> behind = acquireAsync(REQUEST.waitTime(Duration.ofMillis(500)));

		this.fixture.advance(Duration.ofMillis(500));

		assertThat(failure(behind)).isInstanceOf(LockBusyException.class);
	}

	@Test
	void waitTimeThatIsOverWhileTheLeaseIsOnItsWayDoesNotMakeTheLockBusy() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofMillis(500)));
		this.fixture.engineClock.beforeNextSchedule(() -> this.fixture.advance(Duration.ofMillis(500)));

		this.fixture.backend.letThrough();

		assertThat(granted(waiting).isHeld()).isTrue();
	}

	/**
	 * Timers may be late on an overloaded machine.
	 */
	@Test
	void blockingWaitEndsThoughNoTimerRuns() {
		LockClock stalled = new DecoratedClock(new SystemLockClock()) {

			@Override
			public Timeout schedule(Duration delay, Runnable task) {
				return () -> {
				};
			}

		};
		LocalStore store = new LocalStore(stalled);
		DefaultLockTemplate holder = template(new LocalLockBackend(store, "holder", stalled), stalled);
		DefaultLockTemplate waiter = template(new LocalLockBackend(store, "waiter", stalled), stalled);
		holder.acquire(EngineFixture.KEY);

		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> waiter.acquire(REQUEST.waitTime(Duration.ofMillis(50))));
	}

	private static DefaultLockTemplate template(LocalLockBackend backend, LockClock clock) {
		LockEngine engine = new LockEngine(backend, EngineSettings.DEFAULTS, clock, List.of(), List.of());
		return new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseRetention.NONE));
	}

	@Test
	void waitTimeThatIsShorterThanAnAnswerTakesIsOneAttemptAllTheSame() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofMillis(1)));
		this.fixture.advance(Duration.ofMillis(20));
		this.fixture.backend.letThrough();

		assertThat(granted(waiting).isHeld()).isTrue();
	}

	@Test
	void waitTimeThatIsOverBeforeAnyAnswerEndsWithTheAnswer() {
		this.fixture.other.acquire(REQUEST);
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofMillis(1)));
		this.fixture.advance(Duration.ofMillis(20));
		assertThat(waiting).isNotDone();

		this.fixture.backend.letThrough();

		assertThat(failure(waiting)).isInstanceOf(LockBusyException.class);
	}

	@Test
	void grantThatComesAfterTheWaitTimeAndTheOvertimeIsGivenBack() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofMillis(500)));
		assertThat(this.fixture.inStore()).isPresent();
		this.fixture.advance(Duration.ofMillis(500).plus(OVERTIME));

		this.fixture.backend.letThrough();

		assertThat(this.fixture.inStore()).isEmpty();
		assertThat(failure(waiting)).isInstanceOf(LockUnavailableException.class);
	}

	@Test
	void grantThatComesAfterACancellationIsGivenBack() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST);

		waiting.cancel(true);
		this.fixture.backend.letThrough();

		assertThat(this.fixture.inStore()).isEmpty();
		assertThat(this.fixture.news()).containsExactly("unavailable LockInterruptedException", "released");
	}

	@Test
	void listenersHearOfALeaseBeforeItsHolderCanReleaseIt() throws Exception {
		List<String> news = new CopyOnWriteArrayList<>();
		CountDownLatch release = new CountDownLatch(1);
		LockListener slow = new LockListener() {

			@Override
			public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
				try {
					// Times out unless the holder has the lease already.
					release.await(200, TimeUnit.MILLISECONDS);
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				news.add("acquired");
			}

			@Override
			public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
				news.add("released");
				release.countDown();
			}

		};
		DefaultLockTemplate template = this.fixture.template(slow);
		this.fixture.backend.holdAnswers();
		Thread holder = new Thread(() -> template.acquire(REQUEST).release());
		holder.start();
		await().until(this.fixture.backend::isHoldingBack);

		this.fixture.backend.letThrough();
		holder.join();

		await().untilAsserted(() -> assertThat(news).containsExactly("acquired", "released"));
	}

	@Test
	void grantThatComesAfterAnInterruptIsGivenBack() throws Exception {
		this.fixture.backend.holdAnswers();
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		CountDownLatch flagSeen = new CountDownLatch(1);
		Thread thread = new Thread(() -> {
			try {
				this.fixture.template.acquire(REQUEST);
			}
			catch (LockInterruptedException ex) {
				thrown.set(ex);
			}
			if (Thread.currentThread().isInterrupted()) {
				flagSeen.countDown();
			}
		});
		thread.start();
		await().until(this.fixture.backend::isHoldingBack);

		thread.interrupt();
		thread.join(TimeUnit.SECONDS.toMillis(10));
		this.fixture.backend.letThrough();

		assertThat(thrown.get()).isInstanceOf(LockInterruptedException.class).hasMessageContaining("order:42");
		assertThat(flagSeen.getCount()).isZero();
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void threadThatIsInterruptedAlreadyTakesNothing() {
		Thread.currentThread().interrupt();
		try {
			assertThatExceptionOfType(LockInterruptedException.class)
				.isThrownBy(() -> this.fixture.template.acquire(REQUEST));
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
		assertThat(this.fixture.backend.attempts).hasValue(0);
	}

	@Test
	void unknownOutcomeIsAbandonedEverySecondUntilOneTtlHasPassed() {
		this.fixture.backend.cutOff();
		CompletableFuture<Lease> waiting = acquireAsync(
				REQUEST.ttl(Duration.ofSeconds(9)).waitTime(Duration.ofMillis(10)));
		this.fixture.advance(Duration.ofMillis(10));
		await().untilAsserted(() -> assertThat(waiting).isCompletedExceptionally());
		this.fixture.backend.restore();
		int atOnce = this.fixture.backend.abandoned.get();

		this.fixture.advance(Duration.ofSeconds(30));

		assertThat(atOnce).isEqualTo(1);
		assertThat(this.fixture.backend.abandoned.get() - atOnce).isBetween(9, 13);
		assertThat(this.fixture.clock.pending()).isZero();
	}

	/**
	 * A tenth of the TTL has to be left.
	 */
	@Test
	void grantOfWhichTooLittleIsLeftIsNoGrant() {
		LockRequest request = REQUEST.ttl(Duration.ofSeconds(10)).waitTime(Duration.ofSeconds(60));
		this.fixture.backend.shortenNextGrant(Duration.ofMillis(8_900));
		CompletableFuture<Lease> waiting = acquireAsync(request);
		assertThat(waiting).isNotDone();
		this.fixture.advance(Duration.ofSeconds(1));
		granted(waiting).release();

		this.fixture.backend.shortenNextGrant(Duration.ofMillis(8_800));
		assertThat(granted(acquireAsync(request)).remaining()).isLessThan(Duration.ofMillis(1_100));
	}

	@Test
	void answerThatIsFarTooLateIsNotWaitedFor() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = acquireAsync(
				REQUEST.ttl(Duration.ofSeconds(6)).waitTime(Duration.ofSeconds(60)));
		this.fixture.advance(Duration.ofMillis(5950));

		this.fixture.backend.letThrough();

		assertThat(granted(waiting).remaining()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
		assertThat(this.fixture.backend.attempts).hasValue(2);
	}

	@Test
	void contenderWhoseAnswerIsFarTooLateIsWithdrawnBeforeTheNextAttempt() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = acquireAsync(
				REQUEST.ttl(Duration.ofSeconds(6)).waitTime(Duration.ofSeconds(60)));
		assertThat(this.fixture.backend.contenders).hasValue(1);
		assertThat(this.fixture.backend.withdrawals).hasValue(0);

		this.fixture.advance(Duration.ofMillis(5950));

		assertThat(this.fixture.backend.attempts).hasValue(2);
		assertThat(this.fixture.backend.contenders).hasValue(2);
		assertThat(this.fixture.backend.withdrawals).hasValue(1);
		this.fixture.backend.letThrough();
		granted(waiting).release();
		assertThat(this.fixture.backend.withdrawals).hasValue(1);
	}

	@Test
	void everyAttemptHasAnOwnerIdOfItsOwn() {
		this.fixture.backend.cutOff();
		CompletableFuture<Lease> waiting = acquireAsync(REQUEST.waitTime(Duration.ofSeconds(5)));
		this.fixture.advance(Duration.ofSeconds(5));

		assertThat(this.fixture.backend.requests).hasSizeGreaterThan(3)
			.extracting((request) -> request.ownerId())
			.doesNotHaveDuplicates();
		assertThat(waiting).isNotNull();
	}

	@Test
	void localWaitersAreServedInTheirOrder() {
		Lease held = this.fixture.template.acquire(REQUEST);
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			waiting.add(acquireAsync(REQUEST));
		}

		Lease current = held;
		for (CompletableFuture<Lease> next : waiting) {
			long before = current.fencingToken();
			current.release();
			current = granted(next);
			assertThat(current.fencingToken()).isGreaterThan(before);
		}

		current.release();
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void oneAttemptIsBusyWithoutTheStoreWhileThisJvmHoldsTheLock() {
		this.fixture.template.acquire(REQUEST);

		assertThat(this.fixture.template.tryAcquire(REQUEST)).isEmpty();

		assertThat(this.fixture.backend.attempts).hasValue(1);
	}

	@Test
	void nextWaiterAttemptsAtOnceWhenTheHeadGivesUp() {
		Lease held = this.fixture.other.acquire(REQUEST);
		CompletableFuture<Lease> head = acquireAsync(REQUEST.waitTime(Duration.ofSeconds(1)));
		CompletableFuture<Lease> next = acquireAsync(REQUEST.waitTime(Duration.ofSeconds(20)));
		int before = this.fixture.backend.attempts.get();

		head.cancel(true);

		assertThat(this.fixture.backend.attempts.get()).isEqualTo(before + 1);
		held.release();
		assertThat(granted(next).isHeld()).isTrue();
	}

	@Test
	void tickThatHasRunIsNeitherBusyNorAFault() {
		Instant tick = Instant.parse("2026-01-01T00:00:00Z");
		this.fixture.other.acquire(REQUEST.tick(tick)).release();

		assertThatExceptionOfType(TickDoneException.class)
			.isThrownBy(() -> this.fixture.template.acquire(REQUEST.tick(tick)))
			.satisfies((ex) -> assertThat(ex.tick()).isEqualTo(tick));
		assertThat(this.fixture.template.tryAcquire(REQUEST.tick(tick))).isEmpty();
		assertThat(this.fixture.template.tryAcquire(REQUEST.tick(tick.plusSeconds(1)))).isPresent();
	}

	@Test
	void unknownBackendIsRefused() {
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> this.fixture.template.acquire(REQUEST.backend("redis")))
			.withMessageContaining("redis")
			.withMessageContaining("controlled");
	}

	@Test
	void minimumHoldAboveTheMaximumHoldIsRefused() {
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> this.fixture.template
				.acquire(REQUEST.minHold(Duration.ofSeconds(20)).maxHold(Duration.ofSeconds(10))))
			.withMessageContaining("minHold")
			.withMessageContaining("maxHold");
	}

	@Test
	void keysThatAreDoneWithLeaveNothingBehind() {
		for (int i = 0; i < 10_000; i++) {
			this.fixture.template.acquire(LockRequest.of("key:" + i)).release();
		}
		this.fixture.advance(Duration.ofSeconds(1));

		assertThat(this.fixture.engine.isIdle()).isTrue();
		assertThat(this.fixture.clock.pending()).isZero();
	}

	private CompletableFuture<Lease> acquireAsync(LockRequest request) {
		return this.fixture.template.acquireAsync(request).toCompletableFuture();
	}

	private static Throwable failure(CompletableFuture<Lease> waiting) {
		return waiting.handle((lease, failure) -> failure).orTimeout(10, TimeUnit.SECONDS).join();
	}

	private static Lease granted(CompletableFuture<Lease> waiting) {
		return waiting.orTimeout(10, TimeUnit.SECONDS).join();
	}

}
