package io.distributedlock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickDoneException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for ticks that the store has granted to a request that could not use them. Such a
 * tick does not run any more, and the caller is not given the impression that it has run.
 */
class UsedUpTickTests {

	private static final Instant TICK = Instant.parse("2026-01-01T00:00:00Z");

	private static final Duration TTL = Duration.ofSeconds(6);

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY).ttl(TTL).tick(TICK);

	private final EngineFixture fixture = new EngineFixture();

	@Test
	void answerThatWasLost() {
		this.fixture.backend.loseNextAnswer();

		assertThatItIsUnknownWhetherItHasRun(waiting(), "connection reset");
	}

	@Test
	void answerThatComesAfterTheLeaseHasRunOut() {
		this.fixture.backend.shortenNextGrant(TTL);

		assertThatItIsUnknownWhetherItHasRun(waiting(), "after the lease had run out");
	}

	@Test
	void answerOverWhichTheMachineStoodStill() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = waiting();
		this.fixture.clock.suspend(Duration.ofMillis(300));
		this.fixture.backend.cutOff();
		this.fixture.backend.letThrough();
		this.fixture.backend.restore();

		assertThatItIsUnknownWhetherItHasRun(waiting, "this machine stood still");
	}

	@Test
	void answerThatIsNotWaitedForAnyMore() {
		this.fixture.backend.holdAnswers();
		CompletableFuture<Lease> waiting = waiting();
		this.fixture.advance(Duration.ofSeconds(5));
		this.fixture.backend.letThrough();

		assertThatItIsUnknownWhetherItHasRun(waiting, "no answer in time");
	}

	@Test
	void leaseThatRunsOutWhileItsThreadWakesUp() {
		// Scheduled while the lease is being delivered to the thread.
		this.fixture.engineClock.beforeNextSchedule(() -> this.fixture.advance(TTL));

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.fixture.template.acquire(REQUEST.withoutRenewal()))
			.withMessageContaining("ran out before its holder could use it");
		assertThat(this.fixture.backend.attempts).hasValue(1);
	}

	@Test
	void oneAttemptWithoutAnAnswerIsNotBusyWhateverOthersHaveHeard() {
		Lease held = this.fixture.template.acquire(LockRequest.of(EngineFixture.KEY).ttl(TTL));
		this.fixture.advance(Duration.ofMillis(1));
		this.fixture.backend.holdAnswers();
		held.releaseAsync();
		CompletableFuture<Lease> attempt = this.fixture.template.acquireAsync(REQUEST.waitTime(Duration.ZERO))
			.toCompletableFuture();

		this.fixture.advance(Duration.ofSeconds(4));

		assertThat(failure(attempt)).isInstanceOf(LockUnavailableException.class);
	}

	@Test
	void callerThatHasNotAskedBeforeLearnsThatItHasRun() {
		this.fixture.backend.loseNextAnswer();
		waiting();

		assertThatExceptionOfType(TickDoneException.class).isThrownBy(() -> this.fixture.other.acquire(REQUEST));
	}

	/**
	 * A second caller begins to wait at the moment when a single attempt is answered.
	 */
	@Test
	void callerThatHasBeenRefusedIsNotGrantedTheTickLater() throws Exception {
		ExecutorService another = Executors.newSingleThreadExecutor();
		try {
			for (int i = 0; i < 3_000; i++) {
				LockRequest request = REQUEST.tick(TICK.plusSeconds(i));
				Lease held = this.fixture.other.acquire(EngineFixture.KEY);
				this.fixture.backend.holdAnswers();
				CompletableFuture<Lease> refused = this.fixture.template.acquireAsync(request.waitTime(Duration.ZERO))
					.toCompletableFuture();
				held.release();
				CyclicBarrier now = new CyclicBarrier(2);
				Future<CompletableFuture<Lease>> waiting = another.submit(() -> {
					now.await();
					return this.fixture.template.acquireAsync(request).toCompletableFuture();
				});

				now.await();
				this.fixture.backend.letThrough();

				assertThat(failure(refused)).isInstanceOf(LockBusyException.class);
				waiting.get().orTimeout(10, TimeUnit.SECONDS).join().release();
			}
		}
		finally {
			another.shutdownNow();
		}
	}

	private CompletableFuture<Lease> waiting() {
		return this.fixture.template.acquireAsync(REQUEST.waitTime(Duration.ofSeconds(60))).toCompletableFuture();
	}

	private void assertThatItIsUnknownWhetherItHasRun(CompletableFuture<Lease> waiting, String why) {
		this.fixture.advance(Duration.ofSeconds(2));

		assertThat(failure(waiting)).isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("Whether 'order:42' has run for the tick 2026-01-01T00:00:00Z is unknown")
			.hasMessageContaining("'controlled'")
			.hasMessageContaining(why);
		assertThat(this.fixture.news()).contains("unavailable LockUnavailableException").doesNotContain("acquired");
	}

	private static Throwable failure(CompletableFuture<Lease> waiting) {
		return waiting.handle((lease, failure) -> failure).orTimeout(10, TimeUnit.SECONDS).join();
	}

}
