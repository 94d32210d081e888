package io.distributedlock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.TickDoneException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for requests with several keys at a store that grants them together.
 */
class SeveralKeysAtOnceTests {

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static final LockRequest ALL = LockRequest.of(List.of("b", "a", "c")).waitTime(PATIENCE);

	private final EngineFixture fixture = new EngineFixture();

	@Test
	void allKeysAreTakenInOneAttemptAndReleasedInOne() {
		Lease lease = this.fixture.template.acquire(ALL);

		assertThat(lease.keys()).containsExactly("a", "b", "c").allMatch(this::isTaken);
		assertThat(lease.keys()).extracting(lease::fencingToken).isSorted().doesNotHaveDuplicates();
		assertThat(lease.release()).isTrue();
		assertThat(lease.keys()).noneMatch(this::isTaken);
		assertThat(this.fixture.backend.attempts).hasValue(1);
		assertThat(this.fixture.backend.releases).hasValue(1);
		assertThat(this.fixture.news()).containsExactly("acquired", "released");
	}

	@Test
	void busyKeyLeavesNoneTaken() {
		this.fixture.other.acquire(LockRequest.of("b"));

		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.fixture.template.acquire(ALL.waitTime(Duration.ZERO)));

		assertThat(List.of("a", "c")).noneMatch(this::isTaken);
		assertThat(this.fixture.news()).containsExactly("busy");
	}

	@Test
	void waitHoldsNothing() {
		Lease blocking = this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = acquire(ALL);
		await().until(() -> this.fixture.backend.attempts.get() == 1);

		assertThat(List.of("a", "c")).noneMatch(this::isTaken);
		blocking.release();

		assertThat(granted(waiting).isHeld()).isTrue();
	}

	@Test
	void keysThatAreNeverFreeTogetherAreTakenOneByOne() {
		Lease one = this.fixture.other.acquire(LockRequest.of("b"));
		Lease other = this.fixture.other.acquire(LockRequest.of("c"));
		CompletableFuture<Lease> waiting = acquire(ALL);

		// Each release wakes the wait, which finds the other key busy.
		for (int attempts = 1; attempts < 8; attempts++) {
			int made = attempts;
			await().until(() -> this.fixture.backend.attempts.get() == made);
			assertThat(isTaken("a")).isFalse();
			one.release();
			// After the eighth attempt the wait may take this key itself.
			Lease again = (attempts < 7) ? this.fixture.other.acquire(LockRequest.of(one.key())) : one;
			one = other;
			other = again;
		}

		await().until(() -> isTaken("a"));
		one.release();
		other.release();
		Lease lease = granted(waiting);
		assertThat(lease.keys()).containsExactly("a", "b", "c");
		assertThat(lease.isHeld()).isTrue();
		lease.release();
		assertThat(this.fixture.news()).containsExactly("acquired", "released");
	}

	@Test
	void leaseIsHandedOverToTheSameKeysWithATokenForEach() {
		Lease blocking = this.fixture.other.acquire(LockRequest.of("a"));
		List<CompletableFuture<Lease>> waiting = List.of(acquire(ALL), acquire(ALL), acquire(ALL));
		await().until(() -> this.fixture.backend.attempts.get() == 1);
		blocking.release();

		Lease first = granted(waiting.get(0));
		first.release();
		Lease second = granted(waiting.get(1));

		assertThat(this.fixture.backend.releases).hasValue(0);
		assertThat(second.keys()).allMatch((key) -> second.fencingToken(key) == first.fencingToken(key) + 1);
		second.release();
		granted(waiting.get(2)).release();
		assertThat(this.fixture.locksInStore()).isZero();
	}

	@Test
	void allKeysAreRenewedTogether() {
		Lease lease = this.fixture.template.acquire(ALL);

		this.fixture.advance(Duration.ofMinutes(5));

		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.keys()).allMatch(this::isTaken);
	}

	@Test
	void lossOfAKeyLosesAllAndGivesTheOthersBack() {
		Lease lease = this.fixture.template.acquire(ALL);

		this.fixture.forceRelease("b");
		this.fixture.advance(Duration.ofSeconds(15));

		assertThat(lease.isHeld()).isFalse();
		await().until(() -> !isTaken("a") && !isTaken("c"));
		assertThat(this.fixture.news()).containsExactly("acquired", "lost " + LossReason.TAKEN);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::close);
	}

	@Test
	void tickBelongsToTheLastKey() {
		Instant tick = Instant.EPOCH.plusSeconds(60);
		this.fixture.template.acquire(ALL.tick(tick)).release();

		assertThatExceptionOfType(TickDoneException.class)
			.isThrownBy(() -> this.fixture.template.acquire(ALL.tick(tick)));

		assertThat(this.fixture.template.tryAcquire(LockRequest.of("a").tick(tick))).isPresent();
		assertThat(this.fixture.template.tryAcquire(LockRequest.of("c").tick(tick))).isEmpty();
	}

	@Test
	void readersOfSeveralKeysJoin() {
		Lease blocking = this.fixture.other.acquire(LockRequest.of("a"));
		List<CompletableFuture<Lease>> waiting = List.of(acquire(ALL.shared()), acquire(ALL.shared()));
		await().until(() -> this.fixture.backend.attempts.get() == 1);
		blocking.release();

		Lease first = granted(waiting.get(0));
		Lease second = granted(waiting.get(1));

		assertThat(this.fixture.backend.contenders).hasValue(1);
		assertThat(first.isHeld()).isTrue();
		assertThat(second.isHeld()).isTrue();
		assertThat(this.fixture.other.tryAcquire(LockRequest.of("b").waitTime(Duration.ZERO))).isEmpty();
		first.release();
		second.release();
		assertThat(this.fixture.locksInStore()).isZero();
	}

	@Test
	void cancelledWaitLeavesNothing() {
		Lease blocking = this.fixture.other.acquire(LockRequest.of("b"));
		CompletableFuture<Lease> waiting = acquire(ALL);
		await().until(() -> this.fixture.backend.attempts.get() == 1);

		waiting.cancel(true);
		blocking.release();

		await().until(this.fixture.engine::isIdle);
		assertThat(this.fixture.locksInStore()).isZero();
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
