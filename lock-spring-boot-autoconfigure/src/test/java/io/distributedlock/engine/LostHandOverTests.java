package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for how long a lease is handed over that the store may have lost, and for the
 * questions that detect the loss.
 */
class LostHandOverTests {

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY).waitTime(Duration.ofMinutes(5));

	private static final Duration WINDOW = Duration.ofMillis(25);

	private static final Duration INTERVAL = Duration.ofMillis(5);

	private static final HandOverSettings WITHOUT_BOUNDS = new HandOverSettings(1023, Duration.ofMinutes(1));

	private final EngineFixture fixture = new EngineFixture(WITHOUT_BOUNDS);

	private final DefaultLocks locks = new DefaultLocks(this.fixture.engine);

	private final List<Lease> told = new CopyOnWriteArrayList<>();

	private final Lease first = firstOfSeveral();

	private final int requests = this.fixture.backend.releases.get();

	@Test
	void leaseIsPassedOnWhileTheWordOfTheStoreIsFresh() {
		CompletableFuture<Lease> next = enqueue();
		this.fixture.advance(WINDOW.minusNanos(1));

		this.first.release();

		assertThat(granted(next).isHeld()).isTrue();
		assertThat(this.fixture.backend.releases).hasValue(this.requests);
	}

	@Test
	void leaseGoesBackWhenTheWordOfTheStoreIsOld() {
		CompletableFuture<Lease> next = enqueue();
		this.fixture.advance(WINDOW);

		this.first.release();

		assertThat(granted(next).isHeld()).isTrue();
		assertThat(this.fixture.backend.releases).hasValue(this.requests + 1);
	}

	@Test
	void chainThatEndsSoonAsksNothing() {
		CompletableFuture<Lease> next = enqueue();
		this.first.release();
		this.fixture.advance(INTERVAL.minusNanos(1));
		granted(next).release();

		this.fixture.advance(Duration.ofSeconds(1));

		assertThat(this.fixture.backend.renewals).hasValue(0);
	}

	@Test
	void longerChainIsAskedForOnceInEachInterval() {
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			waiting.add(enqueue());
		}
		this.first.release();

		for (CompletableFuture<Lease> next : waiting) {
			Lease lease = granted(next);
			this.fixture.advance(INTERVAL);
			lease.release();
		}

		assertThat(this.fixture.backend.renewals).hasValue(8);
		assertThat(this.fixture.backend.releases).hasValue(this.requests + 1);
	}

	@Test
	void bodyThatIsConfirmedIsNotAskedForAgain() {
		CompletableFuture<Lease> next = enqueue();
		this.first.release();
		granted(next);

		this.fixture.advance(Duration.ofSeconds(1));

		assertThat(this.fixture.backend.renewals).hasValue(1);
	}

	@Test
	void holderIsNotifiedByTheQuestionAndTheChainEnds() {
		CompletableFuture<Lease> next = enqueue();
		CompletableFuture<Lease> last = enqueue();
		this.first.release();
		Lease lost = granted(next);
		lost.onLost(this.told::add);
		this.fixture.backend.forceReleaseSilently(EngineFixture.KEY);

		this.fixture.advance(INTERVAL);

		assertThat(lost.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(this.told).containsExactly(lost));
		assertThat(granted(last).fencingToken()).isGreaterThan(lost.fencingToken() + 1);
	}

	@Test
	void questionWithoutAnAnswerEndsTheChainWithTheWindow() {
		CompletableFuture<Lease> next = enqueue();
		CompletableFuture<Lease> last = enqueue();
		this.first.release();
		Lease second = granted(next);
		this.fixture.backend.holdAnswers();
		this.fixture.advance(WINDOW);

		second.releaseAsync();

		assertThat(this.fixture.backend.releases).hasValue(this.requests + 1);
		assertThat(last).isNotDone();
	}

	@Test
	void holderInTheJvmThatForcesIsNotifiedBeforeTheCallReturns() {
		this.first.onLost(this.told::add);
		CompletableFuture<Lease> next = enqueue();

		assertThat(this.locks.forceRelease(EngineFixture.KEY)).isTrue();

		assertThat(this.first.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(this.told).containsExactly(this.first));
		assertThat(this.locks.find(EngineFixture.KEY)).isEmpty();
		this.fixture.advance(Duration.ofMillis(102));
		assertThat(next).isNotDone();
		this.fixture.advance(Duration.ofSeconds(1));
		assertThat(granted(next).isHeld()).isTrue();
	}

	@Test
	void jvmThatForcesPassesNothingOnBeforeTheStoreIsAsked() {
		enqueue();
		this.fixture.backend.beforeForcedRelease(this.first::release);

		this.locks.forceRelease(EngineFixture.KEY);

		// The lease went back to the store instead of to the waiter.
		assertThat(this.fixture.backend.releases).hasValue(this.requests + 1);
	}

	/**
	 * Acquire while others wait, so that the grant has a range of tokens.
	 */
	private Lease firstOfSeveral() {
		Lease blocking = this.fixture.other.acquire(REQUEST);
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 11; i++) {
			waiting.add(enqueue());
		}
		blocking.release();
		Lease lease = granted(waiting.get(0));
		waiting.subList(1, 11).forEach((future) -> future.cancel(true));
		return lease;
	}

	private CompletableFuture<Lease> enqueue() {
		return this.fixture.template.acquireAsync(REQUEST).toCompletableFuture();
	}

	private static Lease granted(CompletableFuture<Lease> waiting) {
		return waiting.orTimeout(10, TimeUnit.SECONDS).join();
	}

}
