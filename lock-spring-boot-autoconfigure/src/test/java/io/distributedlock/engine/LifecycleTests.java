package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.contract.DecoratedClock;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for starting, stopping and restarting an engine.
 */
class LifecycleTests {

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY);

	private final EngineFixture fixture = new EngineFixture();

	@Test
	void firstUseStartsTheEngine() {
		this.fixture.template.acquire(REQUEST);

		assertThat(this.fixture.engine.isRunning()).isTrue();
		assertThat(this.fixture.backend.starts).hasValue(1);
	}

	@Test
	void startAfterTheFirstUseDoesNotOpenTwice() {
		this.fixture.template.acquire(REQUEST);

		this.fixture.engine.start();

		assertThat(this.fixture.backend.starts).hasValue(1);
	}

	@Test
	void stopReleasesHeldLeasesAndNotifiesTheHolder() {
		List<Lease> told = new CopyOnWriteArrayList<>();
		Lease lease = this.fixture.template.acquire(REQUEST);
		lease.onLost(told::add);

		this.fixture.engine.stop();

		assertThat(this.fixture.inStore()).isEmpty();
		assertThat(lease.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(told).containsExactly(lease));
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::close)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LossReason.STOPPED));
	}

	@Test
	void stopHonoursTheMinimumHold() {
		this.fixture.template.acquire(REQUEST.minHold(Duration.ofSeconds(10)));

		this.fixture.engine.stop();

		assertThat(this.fixture.other.tryAcquire(REQUEST)).isEmpty();
		this.fixture.advance(Duration.ofSeconds(10));
		assertThat(this.fixture.other.tryAcquire(REQUEST)).isPresent();
	}

	@Test
	void stopEndsTheWaiters() {
		this.fixture.other.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.fixture.template.acquireAsync(REQUEST).toCompletableFuture();

		this.fixture.engine.stop();

		Throwable failure = waiting.handle((lease, ex) -> ex).orTimeout(10, TimeUnit.SECONDS).join();
		assertThat(failure).isInstanceOf(LockUnavailableException.class).hasMessageContaining("stopped");
		assertThat(this.fixture.engine.isIdle()).isTrue();
	}

	@Test
	void stopWaitsForAGrantThatIsUnderWayAndGivesItBack() throws Exception {
		this.fixture.backend.holdAnswers();
		this.fixture.template.acquireAsync(REQUEST);
		Thread stopping = new Thread(this.fixture.engine::stop);
		stopping.start();
		await().until(() -> !this.fixture.engine.isRunning());
		await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);

		this.fixture.backend.letThrough();
		stopping.join(TimeUnit.SECONDS.toMillis(10));

		assertThat(this.fixture.backend.stops).hasValue(1);
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void stoppedEngineRefuses() {
		this.fixture.template.acquire(REQUEST).release();
		this.fixture.engine.stop();

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.fixture.template.tryAcquire(REQUEST))
			.withMessageContaining("stopped");
		assertThat(this.fixture.backend.attempts).hasValue(1);
	}

	@Test
	void engineThatWasStoppedBeforeItsFirstUseRefusesToo() {
		this.fixture.engine.stop();

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.fixture.template.tryAcquire(REQUEST));
	}

	@Test
	void requestThatIsOvertakenByTheStopAsksTheStoreNoMore() {
		HookedClock clock = new HookedClock(this.fixture.clock);
		LockEngine engine = new LockEngine(this.fixture.backend, EngineSettings.DEFAULTS, clock, List.of(), List.of());
		engine.start();
		// The clock is read for the first time for the waiter, after the engine was found
		// open.
		clock.hook = () -> {
			if (engine.isRunning()) {
				engine.stop();
			}
		};

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> engine.acquirer().acquire(REQUEST, Duration.ofSeconds(10)))
			.withMessageContaining("stopped");
		assertThat(this.fixture.backend.attempts).hasValue(0);
		assertThat(engine.isIdle()).isTrue();
	}

	@Test
	void stopWaitsForAReleaseThatHasBegun() throws Exception {
		HookedClock clock = new HookedClock(this.fixture.clock);
		LockEngine engine = new LockEngine(this.fixture.backend, EngineSettings.DEFAULTS, clock, List.of(), List.of());
		DefaultLease lease = (DefaultLease) engine.acquirer().acquire(REQUEST, Duration.ofSeconds(10));
		Thread stopping = new Thread(engine::stop);
		AtomicInteger stopsBeforeTheRelease = new AtomicInteger(-1);
		clock.hook = () -> {
			// Between the end of the lease and the call to the store.
			if (!lease.isOpen() && stopping.getState() == Thread.State.NEW) {
				stopping.start();
				await().until(() -> Set.of(Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
					.contains(stopping.getState()));
				stopsBeforeTheRelease.set(this.fixture.backend.stops.get());
			}
		};

		lease.release();
		stopping.join(TimeUnit.SECONDS.toMillis(10));

		assertThat(stopsBeforeTheRelease).hasValue(0);
		assertThat(this.fixture.backend.stops).hasValue(1);
	}

	@Test
	void holdersAreWaitedForWhileTheirLeasesAreRenewed() throws Exception {
		Lease lease = this.fixture.template.acquire(REQUEST);
		Thread stopping = new Thread(() -> LockEngines.of(this.fixture.engine).awaitHolders(Duration.ofDays(1)));
		stopping.start();
		await().until(() -> stopping.getState() == Thread.State.WAITING);

		this.fixture.advance(Duration.ofMinutes(5));
		Lease later = this.fixture.template.acquire("later");
		assertThat(lease.release()).isTrue();
		await().until(() -> stopping.getState() == Thread.State.WAITING);
		assertThat(later.release()).isTrue();
		stopping.join(TimeUnit.SECONDS.toMillis(10));

		assertThat(stopping.isAlive()).isFalse();
		assertThat(this.fixture.engine.isRunning()).isTrue();
	}

	@Test
	void holdersAreNotWaitedForWhenTheTimeIsOver() throws Exception {
		Lease lease = this.fixture.template.acquire(REQUEST);
		int timers = this.fixture.clock.pending();
		Thread stopping = new Thread(() -> LockEngines.of(this.fixture.engine).awaitHolders(Duration.ofMinutes(1)));
		stopping.start();
		await().until(() -> this.fixture.clock.pending() > timers);

		this.fixture.advance(Duration.ofMinutes(1));
		stopping.join(TimeUnit.SECONDS.toMillis(10));

		assertThat(stopping.isAlive()).isFalse();
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void interruptEndsTheWaitForHolders() {
		this.fixture.template.acquire(REQUEST);

		Thread.currentThread().interrupt();
		LockEngines.of(this.fixture.engine).awaitHolders(Duration.ofDays(1));

		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void scopesTellAStopFromAFault() {
		this.fixture.template.acquire(REQUEST).release();
		assertThat(this.fixture.scopes.areStopped()).isFalse();

		this.fixture.engine.stop();
		assertThat(this.fixture.scopes.areStopped()).isTrue();

		this.fixture.engine.start();
		assertThat(this.fixture.scopes.areStopped()).isFalse();
	}

	@Test
	void engineThatIsStartedAgainLocksAndRenews() {
		this.fixture.template.acquire(REQUEST);
		this.fixture.engine.stop();

		this.fixture.engine.start();
		Lease lease = this.fixture.template.acquire(REQUEST);
		this.fixture.advance(Duration.ofMinutes(5));

		assertThat(this.fixture.backend.starts).hasValue(2);
		assertThat(lease.isHeld()).isTrue();
	}

	/**
	 * A clock that runs an action whenever it is read.
	 */
	private static final class HookedClock extends DecoratedClock {

		private volatile Runnable hook = () -> {
		};

		HookedClock(LockClock delegate) {
			super(delegate);
		}

		@Override
		public long nanoTime() {
			this.hook.run();
			return super.nanoTime();
		}

	}

}
