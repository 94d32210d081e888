package io.distributedlock.actuate;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreProbe}.
 */
class StoreProbeTests {

	private static final Duration INTERVAL = Duration.ofSeconds(10);

	private static final Duration SHORT = Duration.ofMillis(20);

	private static final Duration LONG = Duration.ofMinutes(1);

	private final StubStoreMonitor store = new StubStoreMonitor();

	private final VirtualLockClock clock = new VirtualLockClock();

	private final CompletableFuture<Duration> answer = new CompletableFuture<>();

	private StoreProbe probe(Duration timeout) {
		return probe(timeout, Runnable::run);
	}

	private StoreProbe probe(Duration timeout, Executor executor) {
		return new StoreProbe(this.store, this.clock, executor, INTERVAL, timeout);
	}

	@Test
	void resultIsKeptForTheInterval() {
		StoreProbe probe = probe(LONG);

		assertThat(probe.result().latency()).isEqualTo(Duration.ofMillis(3));
		this.clock.advance(INTERVAL.minusNanos(1));
		assertThat(probe.age(probe.result())).isEqualTo(INTERVAL.minusNanos(1));
		assertThat(this.store.probes).hasValue(1);

		this.clock.advance(Duration.ofNanos(1));
		assertThat(probe.age(probe.result())).isZero();
		assertThat(this.store.probes).hasValue(2);
	}

	@Test
	void failureIsKeptForTheIntervalToo() {
		StoreProbe probe = probe(LONG);
		this.store.probe = () -> CompletableFuture.failedFuture(new LockUnavailableException("down"));

		assertThat(probe.result().failure()).hasMessage("down");
		this.store.probe = () -> this.answer;
		assertThat(probe.result().failure()).hasMessage("down");
		assertThat(this.store.probes).hasValue(1);
	}

	@Test
	void callersAtTheSameTimeShareOneProbe() {
		StoreProbe probe = probe(LONG);
		this.store.probe = () -> this.answer;
		CompletableFuture<StoreProbe.Result> one = CompletableFuture.supplyAsync(probe::result, this::run);
		CompletableFuture<StoreProbe.Result> other = CompletableFuture.supplyAsync(probe::result, this::run);
		Awaitility.await().until(() -> this.answer.getNumberOfDependents() == 1);

		this.answer.complete(Duration.ofMillis(7));

		assertThat(one.join().latency()).isEqualTo(Duration.ofMillis(7));
		assertThat(other.join().latency()).isEqualTo(Duration.ofMillis(7));
		assertThat(this.store.probes).hasValue(1);
	}

	@Test
	void callerWaitsForTheTimeoutAndTheProbeGoesOn() {
		StoreProbe probe = probe(SHORT);
		this.store.probe = () -> this.answer;

		assertThat(probe.result().failure()).isInstanceOf(TimeoutException.class).hasMessage("no answer within 20 ms");
		assertThat(probe.result().failure()).isInstanceOf(TimeoutException.class);
		assertThat(this.store.probes).hasValue(1);

		this.answer.complete(Duration.ofMillis(30));
		assertThat(probe.result().latency()).isEqualTo(Duration.ofMillis(30));
		assertThat(this.store.probes).hasValue(1);
	}

	@Test
	void probeWhoseAnswerIsFarTooLateIsFollowedByAnother() {
		StoreProbe probe = probe(SHORT);
		this.store.probe = () -> this.answer;
		probe.result();

		this.clock.advance(SHORT.multipliedBy(2));
		this.store.probe = () -> CompletableFuture.completedFuture(Duration.ofMillis(3));

		assertThat(probe.result().latency()).isEqualTo(Duration.ofMillis(3));
		this.answer.completeExceptionally(new LockUnavailableException("late"));
		assertThat(probe.result().latency()).isEqualTo(Duration.ofMillis(3));
		assertThat(this.store.probes).hasValue(2);
	}

	@Test
	void driverThatKeepsItsThreadGetsNoSecondOne() {
		StoreProbe probe = probe(SHORT, this::run);
		CountDownLatch unstuck = new CountDownLatch(1);
		this.store.probe = () -> {
			await(unstuck);
			return CompletableFuture.completedFuture(Duration.ofMillis(3));
		};

		assertThat(probe.result().failure()).isInstanceOf(TimeoutException.class);
		this.clock.advance(Duration.ofHours(1));
		assertThat(probe.result().failure()).isInstanceOf(TimeoutException.class);
		assertThat(this.store.probes).hasValue(1);

		unstuck.countDown();
		Awaitility.await().until(() -> probe.result().latency() != null);
		assertThat(this.store.probes).hasValue(1);
	}

	@Test
	void whateverTheDriverThrowsIsTheResult() {
		this.store.probe = () -> {
			throw new NoClassDefFoundError("Driver");
		};

		assertThat(probe(LONG).result().failure()).isInstanceOf(NoClassDefFoundError.class);
	}

	@Test
	void executorThatRefusesIsAFailure() {
		Executor refusing = (task) -> {
			throw new RejectedExecutionException("stopped");
		};

		assertThat(probe(LONG, refusing).result().failure()).hasMessage("stopped");
		assertThat(this.store.probes).hasValue(0);
	}

	@Test
	void interruptedCallerReturnsAndStaysInterrupted() {
		this.store.probe = () -> this.answer;
		Thread.currentThread().interrupt();

		assertThat(probe(LONG).result().failure()).isInstanceOf(LockInterruptedException.class);
		assertThat(Thread.interrupted()).isTrue();
	}

	private void run(Runnable task) {
		Thread thread = new Thread(task, "probe-test");
		thread.setDaemon(true);
		thread.start();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
