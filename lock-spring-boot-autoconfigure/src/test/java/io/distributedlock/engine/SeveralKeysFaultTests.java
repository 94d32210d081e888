package io.distributedlock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the times, the ends and the events of leases on several keys that were
 * acquired one by one.
 */
class SeveralKeysFaultTests {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static final LockRequest ALL = LockRequest.of(List.of("a", "b")).waitTime(PATIENCE);

	private EngineFixture fixture = oneByOne(new EngineFixture());

	private static EngineFixture oneByOne(EngineFixture fixture) {
		fixture.backend.severalKeys = SeveralKeys.ONE_BY_ONE;
		return fixture;
	}

	private static EngineFixture limited(int most) {
		EngineInstruments none = EngineInstruments.NONE;
		LimitSettings settings = new LimitSettings(most, most, most, most);
		return oneByOne(new EngineFixture(
				new EngineInstruments(none.observer(), new LockLimits(settings), none.circuit(), none.listeners())));
	}

	@Test
	void failedAcquisitionKeepsNoKeyForItsMinimumHold() {
		this.fixture.other.acquire(LockRequest.of("b"));

		assertThat(this.fixture.template.tryAcquire(ALL.waitTime(Duration.ZERO).minHold(Duration.ofHours(1))))
			.isEmpty();

		assertThat(isBusy("a")).isFalse();
	}

	@Test
	void minimumHoldCountsFromTheLastKeyForAllOfThem() {
		Lease blocking = this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = acquire(ALL.minHold(Duration.ofSeconds(20)));
		await().until(() -> isTaken("a"));
		this.fixture.advance(Duration.ofSeconds(15));
		blocking.release();
		granted(waiting).release();

		this.fixture.advance(Duration.ofSeconds(19));
		assertThat(ALL.getKeys()).allMatch(this::isBusy);
		this.fixture.advance(Duration.ofSeconds(1));
		assertThat(ALL.getKeys()).noneMatch(this::isBusy);
	}

	@Test
	void maximumHoldCountsFromTheLastKey() {
		Lease blocking = this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = acquire(ALL.maxHold(Duration.ofSeconds(40)));
		await().until(() -> isTaken("a"));
		this.fixture.advance(Duration.ofSeconds(60));
		blocking.release();
		Lease lease = granted(waiting);

		this.fixture.advance(Duration.ofSeconds(39));
		assertThat(lease.isHeld()).isTrue();
		this.fixture.advance(Duration.ofSeconds(1));
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.fixture.news()).containsExactly("acquired", "lost " + LossReason.MAX_HOLD);
	}

	@Test
	void leaseWithoutRenewalHasItsTtlAfterALongWait() {
		Lease blocking = this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = acquire(ALL.ttl(Duration.ofSeconds(30)).withoutRenewal());
		await().until(() -> isTaken("a"));
		this.fixture.advance(Duration.ofSeconds(65));
		blocking.release();
		Lease lease = granted(waiting);

		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(29));
		this.fixture.advance(Duration.ofSeconds(31));
		assertThat(lease.isHeld()).isFalse();
		assertThat(ALL.getKeys()).noneMatch(this::isBusy);
	}

	@Test
	void keyThatIsLostWhileTheNextOneIsAwaitedEndsTheWait() {
		this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = acquire(ALL);
		await().until(() -> isTaken("a"));

		new DefaultLocks(this.fixture.engine).forceRelease("a");

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("'a'");
		await().until(this.fixture.engine::isIdle);
		assertThat(this.fixture.news()).containsExactly("unavailable LockUnavailableException");
	}

	@Test
	void stopWhileTheNextKeyIsAwaitedIsReportedAsSuch() {
		this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = acquire(ALL);
		await().until(() -> isTaken("a"));

		this.fixture.engine.stop();

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
			.withMessageContaining("were stopped");
	}

	@Test
	void leaseWithoutACallerEndsAsAWhole() {
		this.fixture = limited(1);
		ManagedLease lease = (ManagedLease) this.fixture.template.acquire(ALL);

		lease.disown();
		this.fixture.advance(Duration.ofSeconds(1));

		assertThat(lease.isHeld()).isFalse();
		assertThat(this.fixture.news()).containsExactly("acquired", "released");
		assertThat(this.fixture.template.tryAcquire(ALL)).isPresent();
	}

	@Test
	void lossThatTheReleaseFindsIsKnownAsSoonAsTheReleaseReturns() {
		for (int i = 0; i < 20; i++) {
			Lease lease = this.fixture.template.acquire(ALL);
			this.fixture.backend.takeLatestGrant();
			this.fixture.backend.holdAnswers();
			CompletableFuture<Boolean> end = ((ManagedLease) lease).end();
			List<Boolean> lost = new ArrayList<>();
			end.thenAccept((stood) -> lost.add(((ManagedLease) lease).isLost()));
			this.fixture.backend.letThrough();

			assertThat(lost).containsExactly(true);
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::close).withMessageContaining("'b'");
		}
	}

	@Test
	void releaseAfterTheDeadlineOfAKeyIsALoss() {
		Lease lease = this.fixture.template.acquire(ALL.ttl(Duration.ofSeconds(30)).withoutRenewal());
		List<Lease> told = Collections.synchronizedList(new ArrayList<>());
		lease.onLost(told::add);
		this.fixture.clock.schedule(Duration.ofSeconds(30), lease::release);
		this.fixture.advance(Duration.ofSeconds(30));

		assertThat(this.fixture.news()).containsExactly("acquired", "lost " + LossReason.EXPIRED);
		await().until(() -> told.equals(List.of(lease)));
	}

	@Test
	void renewalIsReportedForTheWholeLease() {
		List<Lease> renewed = Collections.synchronizedList(new ArrayList<>());
		LockListener listener = new LockListener() {

			@Override
			public void renewed(String backend, LockRequest request, Lease lease) {
				renewed.add(lease);
			}

		};
		DefaultLockTemplate template = this.fixture.template(listener);
		Lease blocking = this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = template.acquireAsync(ALL.ttl(Duration.ofSeconds(30))).toCompletableFuture();
		await().until(() -> isTaken("a"));
		this.fixture.advance(Duration.ofSeconds(25));
		blocking.release();
		Lease lease = granted(waiting);
		this.fixture.advance(Duration.ofSeconds(20));

		await().until(() -> !renewed.isEmpty());
		assertThat(renewed).hasSizeLessThan(4).containsOnly(lease);
	}

	@ParameterizedTest
	@EnumSource(names = { "ONE_BY_ONE", "AT_ONCE" })
	void busyKeyIsReportedAsSuchToAsynchronousCallers(SeveralKeys way) {
		List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
		LockObserver observer = (store, request) -> new LockObserver.Acquisition() {

			@Override
			public LockObserver.Hold acquired(Lease lease, boolean handedOver) {
				return LockObserver.Hold.NONE;
			}

			@Override
			public void failed(Throwable failure) {
				failures.add(failure);
			}

		};
		this.fixture = new EngineFixture(new EngineInstruments(observer, new LockLimits(LimitSettings.NONE),
				CircuitSettings.DISABLED, List.of()));
		this.fixture.backend.severalKeys = way;
		this.fixture.other.acquire(LockRequest.of("b"));

		assertThat(this.fixture.template.tryAcquireAsync(ALL.waitTime(Duration.ZERO)).toCompletableFuture())
			.succeedsWithin(Duration.ofSeconds(10))
			.isEqualTo(Optional.empty());
		assertThat(failures).hasOnlyElementsOfType(LockBusyException.class).hasSize(1);
	}

	@Test
	void shutdownDoesNotWaitForAnAcquisitionThatHasSomeOfItsKeys() {
		this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = acquire(ALL);
		await().until(() -> isTaken("a"));

		assertThat(
				CompletableFuture.runAsync(() -> LockEngines.of(this.fixture.engine).awaitHolders(Duration.ofDays(1))))
			.succeedsWithin(Duration.ofSeconds(10));

		assertThat(waiting).isNotDone();
	}

	@Test
	void tickOfAnInstantIsKeptByTheLastKeyOnly() {
		Instant tick = Instant.EPOCH.plusSeconds(60);
		this.fixture.other.acquire(LockRequest.of("b"));

		assertThat(this.fixture.template.tryAcquire(ALL.waitTime(Duration.ZERO).tick(tick))).isEmpty();

		assertThat(this.fixture.other.tryAcquire(LockRequest.of("a").tick(tick))).isPresent();
	}

	@Test
	void nothingIsCountedAfterCancelledAndFailedRequests() {
		this.fixture = limited(3);
		Lease blocking = this.fixture.other.acquire(LockRequest.of("b"));
		for (LockRequest request : List.of(ALL, ALL.shared(), LockRequest.of("b"), LockRequest.of("b").shared(),
				LockRequest.of("b").permits(2))) {
			for (int i = 0; i < 500; i++) {
				CompletableFuture<Lease> waiting = acquire(request.waitTime(PATIENCE));
				waiting.cancel(true);
				assertThat(waiting).isCompletedExceptionally();
				await().pollInSameThread()
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.until(this.fixture.engine::isIdle);
				assertThat(this.fixture.template.tryAcquire(request.waitTime(Duration.ZERO))).isEmpty();
			}
		}
		blocking.release();
		for (int i = 0; i < 3; i++) {
			assertThat(this.fixture.template.tryAcquire(LockRequest.of(List.of("x" + i, "y" + i)))).isPresent();
		}
	}

	private boolean isTaken(String key) {
		return this.fixture.inStore(key).isPresent();
	}

	private boolean isBusy(String key) {
		return this.fixture.other.tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO)).map(Lease::release).isEmpty();
	}

	private CompletableFuture<Lease> acquire(LockRequest request) {
		return this.fixture.template.acquireAsync(request).toCompletableFuture();
	}

	private static Lease granted(CompletableFuture<Lease> waiting) {
		return waiting.orTimeout(10, TimeUnit.SECONDS).join();
	}

}
