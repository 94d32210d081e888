package io.distributedlock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLimitException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for requests with several keys that are acquired one by one.
 */
class SeveralKeysTests {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static final LockRequest ALL = LockRequest.of(List.of("b", "a", "c", "a")).waitTime(PATIENCE);

	private EngineFixture fixture = oneByOne(new EngineFixture());

	private static EngineFixture oneByOne(EngineFixture fixture) {
		fixture.backend.severalKeys = SeveralKeys.ONE_BY_ONE;
		return fixture;
	}

	@Test
	void leaseCoversAllKeysWithATokenForEach() {
		Lease lease = this.fixture.template.acquire(ALL);

		assertThat(lease.keys()).containsExactly("a", "b", "c");
		assertThat(lease.keys()).extracting(lease::fencingToken).doesNotHaveDuplicates();
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.keys()).allMatch(this::isTaken);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lease::fencingToken)
			.withMessageContaining("[a, b, c]");
		assertThat(lease.release()).isTrue();
		assertThat(lease.release()).isTrue();
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.keys()).noneMatch(this::isTaken);
		assertThat(this.fixture.engine.isIdle()).isTrue();
	}

	@Test
	void keysAreOrderedByCodePoints() {
		// In UTF-16 the second one is smaller.
		assertThat(LockRequest.of(List.of("\uD83D\uDE00", "\uFF5E")).getKeys()).containsExactly("\uFF5E",
				"\uD83D\uDE00");
	}

	@Test
	void busyKeyLeavesNoneTaken() {
		this.fixture.other.acquire(LockRequest.of("b"));

		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.fixture.template.acquire(ALL.waitTime(Duration.ZERO)))
			.withMessageContaining("'b'");

		assertThat(isTaken("a")).isFalse();
		assertThat(isTaken("c")).isFalse();
		assertThat(this.fixture.news()).containsExactly("busy");
	}

	@Test
	void keysThatAreHeldAreRenewedWhileTheNextOneIsAwaited() {
		Lease blocking = this.fixture.other.acquire(LockRequest.of("b").ttl(Duration.ofMinutes(2)));
		CompletableFuture<Lease> waiting = acquire(ALL);
		await().until(() -> isTaken("a"));

		this.fixture.advance(Duration.ofSeconds(100));
		assertThat(isTaken("a")).isTrue();
		blocking.release();

		assertThat(granted(waiting).isHeld()).isTrue();
		assertThat(this.fixture.news()).containsExactly("acquired");
	}

	@Test
	void lossOfAKeyLosesAllAndGivesTheOthersBack() {
		Lease lease = this.fixture.template.acquire(ALL);
		List<Lease> told = new ArrayList<>();
		lease.onLost(told::add);

		new DefaultLocks(this.fixture.engine).forceRelease("b");

		assertThat(lease.isHeld()).isFalse();
		await().until(() -> told.equals(List.of(lease)));
		await().until(() -> !isTaken("a") && !isTaken("c"));
		assertThat(this.fixture.news()).containsExactly("acquired", "lost " + LossReason.TAKEN);
		assertThat(lease.release()).isFalse();
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::close).withMessageContaining("'b'");
		lease.onLost(told::add);
		await().until(() -> told.equals(List.of(lease, lease)));
	}

	@Test
	void verificationFindsTheLossOfAnyKey() {
		Lease lease = this.fixture.template.acquire(ALL);
		lease.verify();
		lease.extend(Duration.ofMinutes(2));
		assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(1));

		this.fixture.forceRelease("c");

		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::verify).withMessageContaining("'c'");
		assertThat(lease.isHeld()).isFalse();
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::verify);
	}

	@Test
	void requestsInOppositeOrdersDoNotWaitForEachOther() {
		List<CompletableFuture<Lease>> all = IntStream.range(0, 50)
			.mapToObj((i) -> ((i % 2 == 0) ? this.fixture.template : this.fixture.other)
				.acquireAsync(LockRequest.of((i % 3 == 0) ? List.of("x", "y") : List.of("y", "x")).waitTime(PATIENCE)))
			.map((stage) -> stage.thenApply((lease) -> {
				lease.releaseAsync();
				return lease;
			}).toCompletableFuture())
			.toList();

		await().until(() -> {
			this.fixture.advance(Duration.ofMillis(10));
			return all.stream().allMatch(CompletableFuture::isDone);
		});
		assertThat(all).noneMatch(CompletableFuture::isCompletedExceptionally);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "b", "c" })
	void cancelledWaitGivesTheKeysBack(String busy) {
		Lease blocking = this.fixture.other.acquire(LockRequest.of(busy));
		CompletableFuture<Lease> waiting = acquire(ALL);
		await().until(() -> this.fixture.engine.monitor()
			.waiting()
			.stream()
			.anyMatch((call) -> call.keys().equals(List.of(busy))));

		waiting.cancel(true);
		blocking.release();

		await().until(this.fixture.engine::isIdle);
		assertThat(this.fixture.locksInStore()).isZero();
	}

	@Test
	void interruptedWaitGivesTheKeysBack() throws Exception {
		this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			try {
				this.fixture.template.acquire(ALL);
			}
			catch (Throwable ex) {
				outcome.complete(ex);
			}
		});
		caller.start();
		await().until(() -> isTaken("a"));

		caller.interrupt();

		assertThat(outcome.get(10, TimeUnit.SECONDS)).isInstanceOf(LockInterruptedException.class);
		await().until(this.fixture.engine::isIdle);
		assertThat(isTaken("a")).isFalse();
	}

	@Test
	void waitTimeCountsForAllKeysTogether() {
		this.fixture.other.acquire(LockRequest.of("b").ttl(Duration.ofMinutes(1)).withoutRenewal());
		this.fixture.other.acquire(LockRequest.of("c").ttl(Duration.ofMinutes(2)).withoutRenewal());
		CompletableFuture<Lease> waiting = acquire(ALL.waitTime(Duration.ofSeconds(90)));
		await().until(() -> isTaken("a"));

		await().until(() -> {
			this.fixture.advance(Duration.ofSeconds(1));
			return waiting.isDone();
		});

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting::get)
			.withCauseInstanceOf(LockBusyException.class)
			.withMessageContaining("'c'");
		await().until(this.fixture.engine::isIdle);
	}

	@Test
	void tickBelongsToTheLastKey() {
		Instant tick = Instant.EPOCH.plusSeconds(60);
		this.fixture.template.acquire(ALL.tick(tick)).release();

		assertThatExceptionOfType(TickDoneException.class)
			.isThrownBy(() -> this.fixture.template.acquire(ALL.tick(tick)));

		assertThat(isTaken("a")).isFalse();
		assertThat(this.fixture.template.tryAcquire(LockRequest.of("a").tick(tick))).isPresent();
		assertThat(this.fixture.template.tryAcquire(LockRequest.of("c").tick(tick))).isEmpty();
	}

	@Test
	void keysCanBeShared() {
		Lease first = this.fixture.template.acquire(ALL.shared());
		Lease second = this.fixture.other.acquire(LockRequest.of("b").shared());

		assertThat(this.fixture.other.tryAcquire(LockRequest.of("a").waitTime(Duration.ZERO))).isEmpty();
		assertThat(first.isHeld()).isTrue();
		assertThat(second.isHeld()).isTrue();
	}

	@Test
	void nestedCallsEnterSomeOfTheKeysOrAll() {
		this.fixture.template.executeWithoutResult(ALL, (all) -> {
			this.fixture.template.executeWithoutResult(LockRequest.of("b"), (inner) -> {
				assertThat(inner.key()).isEqualTo("b");
				assertThat(inner.fencingToken()).isEqualTo(all.fencingToken("b"));
				assertThat(LockContext.current()).isSameAs(inner);
				assertThat(LockContext.current("c")).isSameAs(all);
			});
			this.fixture.template.executeWithoutResult(LockRequest.of(List.of("c", "b", "a")),
					(inner) -> assertThat(inner).isSameAs(all));
			assertThat(all.isHeld()).isTrue();
		});

		assertThat(this.fixture.news()).containsExactly("acquired", "released");
	}

	@Test
	void nestedCallCanNotAddKeys() {
		this.fixture.template.executeWithoutResult(LockRequest.of("b"),
				(lease) -> assertThatExceptionOfType(InvalidLockRequestException.class)
					.isThrownBy(() -> this.fixture.template.executeWithoutResult(ALL, (all) -> {
					}))
					.withMessageContaining("[a, b, c]")
					.withMessageContaining("[b]"));

		assertThat(this.fixture.locksInStore()).isZero();
	}

	@Test
	void stopEndsTheLeaseAndTheWait() {
		Lease lease = this.fixture.template.acquire(ALL);
		CompletableFuture<Lease> waiting = acquire(LockRequest.of(List.of("c", "d")).waitTime(PATIENCE));

		this.fixture.engine.stop();

		assertThat(lease.isHeld()).isFalse();
		await().until(waiting::isCompletedExceptionally);
		assertThat(this.fixture.locksInStore()).isZero();
	}

	@Test
	void tooManyKeysAreRefused() {
		List<String> keys = IntStream.rangeClosed(1, 101).mapToObj((i) -> "key-" + i).toList();

		assertThat(this.fixture.template.tryAcquire(LockRequest.of(keys.subList(0, 100)))).isPresent();
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> this.fixture.template.acquire(LockRequest.of(keys)))
			.withMessageContaining("101")
			.withMessageContaining("lock.limits.max-keys = 100");
	}

	@Test
	void leaseOnSeveralKeysCountsOnceAmongTheLimits() {
		EngineInstruments none = EngineInstruments.NONE;
		this.fixture = oneByOne(new EngineFixture(new EngineInstruments(none.observer(),
				new LockLimits(new LimitSettings(2, 2, 2, 2)), none.circuit(), none.listeners())));
		Lease lease = this.fixture.template.acquire(ALL);
		this.fixture.template.acquire(LockRequest.of("d"));

		assertThatExceptionOfType(LockLimitException.class)
			.isThrownBy(() -> this.fixture.template.acquire(LockRequest.of(List.of("e", "f"))));
		lease.release();
		assertThat(this.fixture.template.tryAcquire(LockRequest.of(List.of("e", "f")))).isPresent();
	}

	private boolean isTaken(String key) {
		return this.fixture.inStore(key).isPresent();
	}

	private CompletableFuture<Lease> acquire(LockRequest request) {
		return this.fixture.template.acquireAsync(request).toCompletableFuture();
	}

	private static Lease granted(CompletableFuture<Lease> waiting) {
		return waiting.orTimeout(10, TimeUnit.SECONDS).join();
	}

}
