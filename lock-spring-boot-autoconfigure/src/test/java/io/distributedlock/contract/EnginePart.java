package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterEach;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.spi.LockBackend;

/**
 * Basic operations that the contract of a store under the engine is written with.
 * <p>
 * Only the test moves a virtual clock. A call that may have to wait is therefore made by
 * a {@link Caller} or asynchronously, and the test lets time pass until it has ended.
 */
abstract class EnginePart extends GroupRaceContract {

	/**
	 * Longer than a first connection takes on a busy machine.
	 */
	static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * How long an acquisition may continue after its wait time, for an answer that is
	 * under way.
	 */
	static final Duration OVERTIME = CALL_TIMEOUT.multipliedBy(2);

	/**
	 * How long the test waits in real time for a call that has its own timeout.
	 */
	private static final Duration REAL_TIME = Duration.ofSeconds(60);

	/**
	 * For how long a thread of this JVM may stand still while others continue.
	 */
	private static final Duration STANDSTILL = Duration.ofSeconds(5);

	private static final Duration STEP = Duration.ofMillis(5);

	private final List<EngineClient> engines = new ArrayList<>();

	private final List<EngineClient> places = new ArrayList<>();

	/**
	 * Return the engine of this JVM, the same one each time.
	 */
	final EngineClient here() {
		return place(0);
	}

	/**
	 * Return the engine of another JVM.
	 */
	final EngineClient there() {
		return place(1);
	}

	/**
	 * Return the engine of a third JVM.
	 */
	final EngineClient elsewhere() {
		return place(2);
	}

	private EngineClient place(int index) {
		while (this.places.size() <= index) {
			this.places.add(open(UnaryOperator.identity()));
		}
		return this.places.get(index);
	}

	/**
	 * Create the engine of one more JVM.
	 * @param decorator decorates the client for the engine
	 */
	final EngineClient open(UnaryOperator<LockBackend> decorator) {
		LockBackend client = newClient();
		EngineSettings settings = new EngineSettings(longTtl(), Duration.ofSeconds(10), null, CALL_TIMEOUT,
				Duration.ofSeconds(5), HandOverSettings.DEFAULTS);
		EngineClient engine = EngineClient.of(client, decorator.apply(client), settings, clock());
		this.engines.add(engine);
		return engine;
	}

	@AfterEach
	void stopEngines() {
		this.engines.forEach((engine) -> restore(engine.client()));
		this.engines.forEach(this::stop);
		this.engines.clear();
		this.places.clear();
	}

	final void stop(EngineClient engine) {
		await(Caller.of(() -> {
			engine.engine().stop();
			return true;
		}).result());
	}

	/**
	 * Cut off an engine that has worked before.
	 */
	final void cutOff(EngineClient engine) {
		acquire(engine, newKey()).release();
		cutOff(engine.client());
	}

	/**
	 * Acquire a free lock in one attempt, because a broken store must not block the
	 * thread that lets time pass.
	 */
	static Lease acquire(EngineClient engine, String key) {
		return acquire(engine, LockRequest.of(key));
	}

	static Lease acquire(EngineClient engine, LockRequest request) {
		if (request.getTtl() != null) {
			// The timeout of calls for a short lease may be shorter than a first
			// connection takes.
			acquire(engine, newKey()).release();
		}
		return engine.template().acquire(request.waitTime(Duration.ZERO));
	}

	/**
	 * Return a request that waits longer than any event in these tests takes.
	 */
	final LockRequest patient(String key) {
		return LockRequest.of(key).waitTime(patience());
	}

	private Duration patience() {
		return briefTtl().multipliedBy(2).plus(soon()).plusSeconds(5);
	}

	/**
	 * Return how late an event may be observed: the lateness of the store, and some time
	 * for threads of this JVM, for which a virtual clock does not wait.
	 */
	final Duration soon() {
		return lateness().plusSeconds(1);
	}

	/**
	 * Let time pass until a stage has been completed.
	 */
	final <T> T await(CompletionStage<T> stage) {
		return await(stage, REAL_TIME);
	}

	final <T> T await(CompletionStage<T> stage, Duration realTime) {
		CompletableFuture<T> future = stage.toCompletableFuture();
		long end = System.nanoTime() + realTime.toNanos();
		passTime("the call returns", future::isDone, () -> System.nanoTime() - end > 0);
		return get(future);
	}

	/**
	 * Let time pass until a stage has failed.
	 */
	final Throwable failure(CompletionStage<?> stage) {
		CompletableFuture<Throwable> failure = stage.toCompletableFuture()
			.<Throwable>handle((value, ex) -> (ex != null) ? ex : new AssertionError("The call succeeded: " + value));
		return await(failure);
	}

	/**
	 * Let time pass until a condition holds.
	 */
	final void until(String what, BooleanSupplier happened) {
		long end = now() + patience().toNanos();
		// A virtual clock does not wait for a thread of this JVM that stands still.
		long realEnd = System.nanoTime() + STANDSTILL.toNanos();
		passTime(what, happened, () -> now() - end > 0 && System.nanoTime() - realEnd > 0);
	}

	private void passTime(String what, BooleanSupplier happened, BooleanSupplier tooLate) {
		while (!happened.getAsBoolean()) {
			if (tooLate.getAsBoolean()) {
				throw new AssertionError("In vain the test waited until " + what);
			}
			// Keeps a virtual clock from running ahead of working threads.
			LockSupport.parkNanos(1_000_000);
			if (!happened.getAsBoolean()) {
				elapse(STEP);
			}
		}
	}

}
