package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRequest;
import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.DecoratedClock;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

/**
 * An engine that has to survive misbehaving code, and the examination afterwards: no
 * lease is renewed without a holder, no key is busy that is free at the store, no timer
 * is dead, and a stop ends.
 * <p>
 * Calls to the engine and the timer have their own threads, so a call that blocks fails
 * the test instead of blocking it. As with the clock of an application, there is one
 * thread for the timer, and an exception of a task ends only that task.
 */
final class EngineHealth implements AutoCloseable {

	static final String KEY = "order:42";

	/**
	 * Prefix of keys that may be held to the end.
	 */
	static final String ENDLESS = "endless:";

	static final Duration TTL = Duration.ofSeconds(3);

	private static final String STEADY = "steady";

	private static final Duration CALL_TIMEOUT = Duration.ofMillis(100);

	// Real time, unlike all others: the longest time for a thread to reach a point.
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final VirtualLockClock time = new VirtualLockClock();

	private final LockClock clock = new TimerClock(this.time);

	private final ExecutorService timer = Executors.newSingleThreadExecutor(EngineThreads.named("test-timer"));

	private final ExecutorService callers = Executors.newCachedThreadPool(EngineThreads.named("test-caller"));

	private final LocalStore store = new LocalStore(this.clock);

	private final BackendConnection operator = new LocalLockBackend(this.store, "operator", this.clock)
		.connect((ownerId) -> {
		});

	final MisbehavingDriver driver = new MisbehavingDriver(new LocalLockBackend(this.store, "first", this.clock));

	final LockEngine engine;

	final DefaultLockTemplate template;

	/**
	 * Acquires locks by another engine on the same store.
	 */
	final DefaultLockTemplate other;

	// Held by the engine all the time.
	private final Lease steady;

	/**
	 * Create an engine.
	 * @param stopTimeout how long its stop may wait for a store, in real time
	 */
	EngineHealth(Duration stopTimeout, List<LockListener> listeners, List<LockRequestCustomizer> customizers) {
		EngineSettings settings = new EngineSettings(TTL, Duration.ofSeconds(10), null, CALL_TIMEOUT, stopTimeout,
				HandOverSettings.DEFAULTS);
		this.engine = new LockEngine(this.driver, settings, this.clock, listeners, customizers);
		this.template = new DefaultLockTemplate(this.engine, new DefaultScopes(this.engine, LeaseRetention.NONE));
		LockEngine second = new LockEngine(new LocalLockBackend(this.store, "second", this.clock), settings, this.clock,
				List.of(), List.of());
		this.other = new DefaultLockTemplate(second, new DefaultScopes(second, LeaseRetention.NONE));
		this.steady = this.template.acquire(STEADY);
	}

	/**
	 * Let time pass, and run the tasks that fall due.
	 */
	void advance(Duration duration) {
		get("the timer", this.timer.submit(() -> this.time.advance(duration)));
	}

	/**
	 * Let time pass in small steps until something has happened.
	 */
	void advanceUntil(String what, BooleanSupplier happened) {
		until(what, () -> {
			advance(Duration.ofMillis(50));
			return happened.getAsBoolean();
		});
	}

	static void until(String what, BooleanSupplier happened) {
		await(what).pollInSameThread()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(PATIENCE)
			.until(happened::getAsBoolean);
	}

	/**
	 * Begin a call on its own thread.
	 */
	<T> Future<T> begin(Callable<T> call) {
		return this.callers.submit(call);
	}

	/**
	 * Make a call that has to return.
	 */
	<T> T call(String what, Callable<T> call) {
		return get(what, begin(call));
	}

	/**
	 * Make a call that may return or throw.
	 * @return what it has thrown
	 */
	@Nullable Throwable attempt(String what, Callable<?> call) {
		return failure(what, begin(call));
	}

	static <T> T get(String what, Future<T> future) {
		Throwable failure = failure(what, future);
		if (failure != null) {
			throw new AssertionError(what + " failed", failure);
		}
		try {
			return future.get();
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new AssertionError(what, ex);
		}
	}

	/**
	 * Wait for any end of a future by polling, because a thread that blocks in a
	 * {@link CompletableFuture} may run handlers of others there.
	 */
	static @Nullable Throwable failure(String what, Future<?> future) {
		if (!future.isDone()) {
			until(what + " ends", future::isDone);
		}
		try {
			future.get();
			return null;
		}
		catch (ExecutionException ex) {
			return (ex.getCause() instanceof CompletionException wrapper) ? wrapper.getCause() : ex.getCause();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(what, ex);
		}
	}

	Lease acquire(String key) {
		return call("acquire", () -> this.template.acquire(key));
	}

	CompletableFuture<Lease> acquireAsync(String key) {
		return call("acquireAsync", () -> this.template.acquireAsync(key).toCompletableFuture());
	}

	void release(Lease lease) {
		assertThat(call("release", lease::release)).as("%s stood at its release", lease).isTrue();
	}

	/**
	 * Let the answers through that the driver keeps back, on a separate thread.
	 */
	void letAnswersThrough() {
		call("the thread of the driver", () -> {
			this.driver.letAnswersThrough();
			return true;
		});
	}

	/**
	 * Check that this engine still works normally.
	 */
	void assertHealthy() {
		assertTimersRun();
		assertNothingIsRenewedWithoutHolder();
		assertNothingIsBusyWithoutHolder();
	}

	private void assertTimersRun() {
		CountDownLatch notified = new CountDownLatch(1);
		Lease doomed = call("acquire", () -> this.template.acquire(LockRequest.of("doomed").withoutRenewal()));
		doomed.onLost((lease) -> notified.countDown());
		LockRequest impatient = LockRequest.of(STEADY).waitTime(TTL);
		CompletableFuture<Lease> late = call("acquireAsync",
				() -> this.template.acquireAsync(impatient).toCompletableFuture());
		Future<Lease> blocking = begin(() -> this.template.acquire(impatient));

		advance(TTL.multipliedBy(3));

		assertThat(this.steady.isHeld()).as("the steady lease is renewed").isTrue();
		assertThat(doomed.isHeld()).as("the lease that is not renewed is held").isFalse();
		until("the loss listener is notified", () -> notified.getCount() == 0);
		assertThat(failure("the waiter behind a holder", late)).isInstanceOf(LockBusyException.class);
		// The waiter may have begun to wait only now.
		advanceUntil("the blocking waiter behind a holder ends", blocking::isDone);
		assertThat(failure("the blocking waiter", blocking)).isInstanceOf(LockBusyException.class);
	}

	private void assertNothingIsRenewedWithoutHolder() {
		assertThat(ListedLocks.all(this.operator).toCompletableFuture().join()).as("locks in the store")
			.extracting(LockInfo::key)
			.filteredOn((key) -> !key.startsWith(ENDLESS))
			.containsExactly(STEADY);
		acquireAndReleaseByOther(KEY);
	}

	private void assertNothingIsBusyWithoutHolder() {
		release(acquire(KEY));
		release(get("acquireAsync", acquireAsync(KEY)));
		acquireAndReleaseByOther(KEY);
	}

	void acquireAndReleaseByOther(String key) {
		Lease lease = this.other.tryAcquire(key)
			.orElseGet(() -> fail("The key " + key + " is not free for another engine"));
		assertThat(lease.release()).isTrue();
	}

	boolean isFree(String key) {
		return this.operator.find(key).toCompletableFuture().join().isEmpty();
	}

	/**
	 * Check that a stop ends and leaves nothing behind.
	 */
	void assertStops() {
		Throwable failure = attempt("stop", () -> {
			this.engine.stop();
			return true;
		});
		assertThat(failure).isNull();
		assertStopped();
	}

	void assertStopped() {
		assertThat(this.driver.stops).as("stops of the backend").hasValue(1);
		assertThat(this.engine.isStopped()).isTrue();
		assertThat(this.steady.isHeld()).isFalse();
		assertThat(ListedLocks.all(this.operator).toCompletableFuture().join()).as("locks in the store").isEmpty();
	}

	/**
	 * Check that no waiter and no lease is left.
	 */
	void assertIdle() {
		until("the engine is idle", this.engine::isIdle);
	}

	@Override
	public void close() {
		this.callers.shutdownNow();
		this.timer.shutdownNow();
	}

	/**
	 * A timer that survives exceptions of its tasks, as {@link SystemLockClock} does.
	 */
	private static final class TimerClock extends DecoratedClock {

		TimerClock(LockClock time) {
			super(time);
		}

		@Override
		public Timeout schedule(Duration delay, Runnable task) {
			return super.schedule(delay, () -> {
				try {
					task.run();
				}
				catch (Throwable ex) {
					// The examination detects the consequences.
				}
			});
		}

	}

}
