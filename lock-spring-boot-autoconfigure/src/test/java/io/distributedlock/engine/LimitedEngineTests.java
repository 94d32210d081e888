package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockLimitException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.StoreListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for limits of an engine.
 */
class LimitedEngineTests {

	private static final int NONE = LimitSettings.UNLIMITED;

	private final List<String> refusals = new ArrayList<>();

	@Test
	void leasesUpToTheLimitAreGrantedAndNoMore() {
		LockLimits limits = new LockLimits(new LimitSettings(3, NONE, NONE, NONE));
		EngineFixture fixture = fixture(limits);
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			leases.add(fixture.template.acquire(LockRequest.of("key" + i)));
		}
		int attempts = fixture.backend.attempts.get();

		assertThatExceptionOfType(LockLimitException.class)
			.isThrownBy(() -> fixture.template.acquire(LockRequest.of("key3")))
			.withMessageContaining("[key3]")
			.withMessageContaining("holds 3 locks")
			.withMessageContaining("lock.limits.max-held");
		assertThat(fixture.backend.attempts).hasValue(attempts);
		await().untilAsserted(() -> assertThat(this.refusals).containsExactly("max-held"));

		leases.get(0).release();
		assertThat(fixture.template.acquire(LockRequest.of("key3")).isHeld()).isTrue();
	}

	@Test
	void limitOfWaitersRefusesAtOnce() {
		LockLimits limits = new LockLimits(new LimitSettings(NONE, NONE, 2, NONE));
		EngineFixture fixture = fixture(limits);
		fixture.other.acquire(LockRequest.of(EngineFixture.KEY));
		List<CompletableFuture<Lease>> waiting = List.of(acquireAsync(fixture), acquireAsync(fixture));

		CompletableFuture<Lease> refused = acquireAsync(fixture);

		assertThat(refused).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockLimitException.class)
			.withMessageContaining("lock.limits.max-waiters");
		waiting.forEach((call) -> call.cancel(true));
		assertThat(limits.isZero()).isTrue();
	}

	@Test
	void releasedLeaseLeavesItsPlaceToTheNextHolderByHandOver() {
		LockLimits limits = new LockLimits(new LimitSettings(1, NONE, NONE, NONE));
		EngineFixture fixture = fixture(limits);
		CompletableFuture<Lease> first = acquireAsync(fixture);
		fixture.backend.holdAnswers();
		Lease held = first.join();
		fixture.backend.letThrough();
		assertThat(held.release()).isTrue();

		assertThat(acquireAsync(fixture).join().release()).isTrue();
		assertThat(limits.isZero()).isTrue();
	}

	@Test
	void placesAreFreeAfterManyCancelledAndTimedOutWaits() {
		LockLimits limits = new LockLimits(new LimitSettings(NONE, NONE, 100_000, 100_000));
		EngineFixture fixture = fixture(limits);
		fixture.other.acquire(LockRequest.of(EngineFixture.KEY));
		List<CompletableFuture<Lease>> calls = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			calls.add(acquireAsync(fixture));
		}
		assertThat(limits.waiterCount()).isEqualTo(10_000);
		for (int i = 0; i < 10_000; i += 2) {
			calls.get(i).cancel(true);
		}

		fixture.advance(Duration.ofSeconds(30));

		await().until(() -> calls.stream().allMatch(CompletableFuture::isDone));
		assertThat(limits.isZero()).isTrue();
		assertThat(fixture.engine.monitor().waiting()).isEmpty();
	}

	@Test
	void lostLeaseFreesItsPlace() {
		LockLimits limits = new LockLimits(new LimitSettings(1, NONE, NONE, NONE));
		EngineFixture fixture = fixture(limits);
		DefaultLease lease = (DefaultLease) fixture.template.acquire(LockRequest.of(EngineFixture.KEY));

		lease.lose(LossReason.TAKEN);

		assertThat(limits.isZero()).isTrue();
	}

	@Test
	void leaseInExcessIsGivenBackAndItsCallerRefused() {
		LockLimits limits = new LockLimits(new LimitSettings(1, NONE, NONE, NONE));
		EngineFixture fixture = fixture(limits);
		fixture.backend.holdAnswers();
		CompletableFuture<Lease> first = acquireAsync(fixture, "first");
		CompletableFuture<Lease> second = acquireAsync(fixture, "second");

		fixture.backend.letThrough();

		Lease granted = first.join();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(second::join)
			.withCauseInstanceOf(LockLimitException.class);
		await().until(() -> fixture.locksInStore() == 1);
		assertThat(granted.isHeld()).isTrue();
		assertThat(limits.heldCount()).isOne();
	}

	private EngineFixture fixture(LockLimits limits) {
		return new EngineFixture(
				new EngineInstruments(LockObserver.NONE, limits, CircuitSettings.DISABLED, List.of(new StoreListener() {

					@Override
					public void limitReached(String store, LockRequest request, String limit) {
						LimitedEngineTests.this.refusals.add(limit);
					}

				})));
	}

	private static CompletableFuture<Lease> acquireAsync(EngineFixture fixture) {
		return acquireAsync(fixture, EngineFixture.KEY);
	}

	private static CompletableFuture<Lease> acquireAsync(EngineFixture fixture, String key) {
		return fixture.template.acquireAsync(LockRequest.of(key)).toCompletableFuture();
	}

}
