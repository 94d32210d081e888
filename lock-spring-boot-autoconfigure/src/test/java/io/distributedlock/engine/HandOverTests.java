package io.distributedlock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the hand-over of leases inside a JVM, and for its bounds.
 */
class HandOverTests {

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY).waitTime(Duration.ofMinutes(5));

	private EngineFixture fixture = new EngineFixture();

	@Test
	void queueIsServedWithOneGrantOfTheStore() {
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> waiting = enqueue(10);

		List<Long> tokens = drain(first, waiting);

		assertThat(tokens).isSorted().doesNotHaveDuplicates().hasSize(11);
		assertThat(this.fixture.backend.attempts).hasValue(2);
		assertThat(this.fixture.backend.releases).hasValue(1);
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void nextGrantOfTheStoreStartsAboveTheWholeRange() {
		Lease first = firstOfSeveral();
		List<Long> tokens = drain(first, enqueue(10));

		Lease next = this.fixture.other.acquire(REQUEST);

		assertThat(next.fencingToken()).isGreaterThan(tokens.get(10));
	}

	@Test
	void withoutHandOverEveryLeaseComesFromTheStore() {
		this.fixture = new EngineFixture(HandOverSettings.NONE);
		Lease first = this.fixture.template.acquire(REQUEST);

		drain(first, enqueue(10));

		assertThat(this.fixture.backend.attempts).hasValue(11);
		assertThat(this.fixture.backend.requests).allSatisfy((request) -> assertThat(request.span()).isEqualTo(1));
	}

	@Test
	void otherClientsGetTheirTurnAfterTheMaximumDuration() {
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(10);
		first.release();
		Lease second = granted(here.get(0));
		CompletableFuture<Lease> there = this.fixture.other.acquireAsync(REQUEST).toCompletableFuture();

		this.fixture.advance(Duration.ofMillis(101));
		second.release();

		assertThat(granted(there).isHeld()).isTrue();
		assertThat(here.get(1)).isNotDone();
		there.join().release();
		this.fixture.advance(Duration.ofSeconds(1));
		assertThat(granted(here.get(1)).fencingToken()).isGreaterThan(there.join().fencingToken());
	}

	@Test
	void otherClientsGetTheirTurnAfterTheMaximumCount() {
		this.fixture = new EngineFixture(new HandOverSettings(3, Duration.ofMinutes(1)));
		Lease current = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(10);
		CompletableFuture<Lease> there = this.fixture.other.acquireAsync(REQUEST).toCompletableFuture();

		current.release();
		for (int i = 0; i < 3; i++) {
			granted(here.get(i)).release();
		}

		assertThat(granted(there).isHeld()).isTrue();
	}

	@Test
	void jvmStaysAwayForAMomentAfterABoundAndThenGoesOn() {
		this.fixture = new EngineFixture(new HandOverSettings(3, Duration.ofMinutes(1)));
		Lease current = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(10);
		current.release();
		for (int i = 0; i < 3; i++) {
			granted(here.get(i)).release();
		}
		assertThat(here.get(3)).isNotDone();

		this.fixture.advance(Duration.ofMillis(8));

		assertThat(granted(here.get(3)).isHeld()).isTrue();
	}

	@Test
	void leaseGoesBackAtOnceWhenTheStoreReportsAnotherWaiter() {
		this.fixture = new EngineFixture(new HandOverSettings(1023, Duration.ofMinutes(5)));
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(3);
		CompletableFuture<Lease> there = this.fixture.other.acquireAsync(REQUEST).toCompletableFuture();
		first.release();
		Lease second = granted(here.get(0));

		second.verify();
		second.release();

		assertThat(granted(there).fencingToken()).isGreaterThan(second.fencingToken());
		assertThat(here.get(1)).isNotDone();
	}

	@Test
	void jvmStaysAwayForAsLongAsTheOneThatWaitsIsAsleep() {
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(1);
		this.fixture.backend.tellWanted(Duration.ofMillis(300));

		first.release();

		this.fixture.advance(Duration.ofMillis(309));
		assertThat(here.get(0)).isNotDone();
		this.fixture.advance(Duration.ofMillis(5));
		assertThat(granted(here.get(0)).isHeld()).isTrue();
	}

	@Test
	void slowFirstAnswerDoesNotKeepThisJvmAwayForLong() {
		this.fixture.backend.holdAnswers();
		List<CompletableFuture<Lease>> here = enqueue(2);
		this.fixture.advance(Duration.ofSeconds(1));
		this.fixture.backend.letThrough();
		Lease first = granted(here.get(0));
		this.fixture.backend.tellWanted(Duration.ZERO);

		first.release();

		this.fixture.advance(Duration.ofMillis(225));
		assertThat(granted(here.get(1)).isHeld()).isTrue();
	}

	@Test
	void newsOfAnEarlierLeaseEndsNoHandOver() {
		Lease earlier = firstOfSeveral();
		this.fixture.backend.tellWanted(Duration.ofMillis(300));
		earlier.release();
		Lease first = firstOfSeveral();
		this.fixture.backend.tellWantedBefore(Duration.ofMillis(300));
		List<CompletableFuture<Lease>> here = enqueue(1);

		first.release();

		assertThat(granted(here.get(0)).isHeld()).isTrue();
		assertThat(this.fixture.news()).contains("handedOver");
	}

	@Test
	void lockThatWasHeldLongGoesToOthersFirstThoughItWasNeverPassedOn() {
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(2);
		CompletableFuture<Lease> there = this.fixture.other.acquireAsync(REQUEST).toCompletableFuture();
		this.fixture.backend.holdAnswers();

		this.fixture.advance(Duration.ofSeconds(2));
		first.releaseAsync();
		this.fixture.backend.letThrough();

		assertThat(granted(there).isHeld()).isTrue();
		assertThat(this.fixture.backend.attempts).hasValue(2);
		assertThat(here.get(0)).isNotDone();
	}

	@Test
	void neitherATryNorAWaiterThatGivesUpTakesTheTurnOfOthers() {
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(2);
		this.fixture.backend.tellWanted(Duration.ofMillis(300));
		first.release();
		int attempts = this.fixture.backend.attempts.get();

		assertThat(this.fixture.template.tryAcquire(REQUEST.waitTime(Duration.ZERO))).isEmpty();
		here.get(0).cancel(true);

		assertThat(this.fixture.backend.attempts).hasValue(attempts);
		this.fixture.advance(Duration.ofMillis(312));
		assertThat(granted(here.get(1)).isHeld()).isTrue();
	}

	@Test
	void runningMinimumHoldIsNotPassedOn() {
		Lease first = this.fixture.template.acquire(REQUEST.minHold(Duration.ofSeconds(10)));
		List<CompletableFuture<Lease>> here = enqueue(1);

		first.release();

		assertThat(here.get(0)).isNotDone();
		this.fixture.advance(Duration.ofSeconds(12));
		assertThat(granted(here.get(0)).isHeld()).isTrue();
	}

	@Test
	void tickIsAlwaysAskedOfTheStore() {
		Lease first = firstOfSeveral();
		CompletableFuture<Lease> tick = this.fixture.template.acquireAsync(REQUEST.tick(Instant.EPOCH))
			.toCompletableFuture();

		first.release();

		assertThat(granted(tick).isHeld()).isTrue();
		assertThat(this.fixture.news()).doesNotContain("handedOver");
	}

	@Test
	void noTokensAreReservedForWaitersThatCanNotTakeOver() {
		Lease blocking = this.fixture.other.acquire(REQUEST);
		for (int i = 0; i < 10; i++) {
			this.fixture.template.acquireAsync(REQUEST.withoutRenewal());
		}

		blocking.release();

		assertThat(this.fixture.backend.requests).allSatisfy((request) -> assertThat(request.span()).isEqualTo(1));
	}

	@Test
	void leaseWithLittleValidityLeftGoesBackToTheStore() {
		this.fixture = new EngineFixture(new HandOverSettings(1023, Duration.ofMinutes(1)));
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = List
			.of(this.fixture.template.acquireAsync(REQUEST.ttl(Duration.ofSeconds(70))).toCompletableFuture());

		first.release();

		assertThat(granted(here.get(0)).remaining()).isGreaterThan(Duration.ofSeconds(69));
		assertThat(this.fixture.news()).doesNotContain("handedOver");
	}

	@Test
	void waiterThatHasGivenUpIsPassedOver() {
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(3);
		here.get(0).cancel(true);

		first.release();

		assertThat(granted(here.get(1)).isHeld()).isTrue();
	}

	@Test
	void releasedLeaseStaysReleasedWhenItsSuccessorIsLost() {
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(1);
		first.release();
		Lease second = granted(here.get(0));

		this.fixture.forceRelease();

		assertThat(second.isHeld()).isFalse();
		assertThat(second.release()).isFalse();
		assertThat(first.release()).isTrue();
	}

	@Test
	void successorIsRenewedAndLivesOn() {
		Lease first = firstOfSeveral();
		List<CompletableFuture<Lease>> here = enqueue(1);
		first.release();
		Lease second = granted(here.get(0));

		this.fixture.advance(Duration.ofMinutes(5));

		assertThat(second.isHeld()).isTrue();
		assertThat(second.release()).isTrue();
		assertThat(this.fixture.inStore()).isEmpty();
	}

	/**
	 * Acquire while others are already waiting, so that the grant has a range of tokens.
	 */
	private Lease firstOfSeveral() {
		Lease blocking = this.fixture.other.acquire(REQUEST);
		List<CompletableFuture<Lease>> waiting = enqueue(11);
		blocking.release();
		Lease first = granted(waiting.get(0));
		waiting.subList(1, 11).forEach((future) -> future.cancel(true));
		this.fixture.news().clear();
		return first;
	}

	private List<CompletableFuture<Lease>> enqueue(int count) {
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			waiting.add(this.fixture.template.acquireAsync(REQUEST).toCompletableFuture());
		}
		return waiting;
	}

	private static List<Long> drain(Lease first, List<CompletableFuture<Lease>> waiting) {
		List<Long> tokens = new ArrayList<>();
		tokens.add(first.fencingToken());
		first.release();
		for (CompletableFuture<Lease> next : waiting) {
			Lease lease = granted(next);
			tokens.add(lease.fencingToken());
			lease.release();
		}
		return tokens;
	}

	private static Lease granted(CompletableFuture<Lease> waiting) {
		return waiting.orTimeout(10, TimeUnit.SECONDS).join();
	}

}
