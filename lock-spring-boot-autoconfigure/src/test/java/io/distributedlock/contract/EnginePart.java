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
 * The words in which the contract of a store under the engine is written.
 * <p>
 * Nobody moves a virtual clock but the test. So a call that may have to wait is made by a
 * {@link Caller} or asynchronously, and the test lets time pass until it has ended.
 */
abstract class EnginePart extends RaceContract {

	/**
	 * Longer than a first connection takes on a busy machine.
	 */
	static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * How long an acquisition may go on after its wait time, for an answer that is under
	 * way.
	 */
	static final Duration OVERTIME = CALL_TIMEOUT.multipliedBy(2);

	/**
	 * How long the test waits in real time for a call that has its own time-out.
	 */
	private static final Duration REAL_TIME = Duration.ofSeconds(60);

	/**
	 * For how long a thread of this JVM may stand still while others go on.
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
	 * @param decorator what lies between the engine and its client
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
	 * Cut an engine off that has worked before.
	 */
	final void cutOff(EngineClient engine) {
		acquire(engine, newKey()).release();
		cutOff(engine.client());
	}

	/**
	 * Acquire a lock that nobody has, in one attempt: a broken store must not keep the
	 * thread that lets time pass.
	 */
	static Lease acquire(EngineClient engine, String key) {
		return acquire(engine, LockRequest.of(key));
	}

	static Lease acquire(EngineClient engine, LockRequest request) {
		if (request.getTtl() != null) {
			// Calls for a short lease may take less time than a first connection.
			acquire(engine, newKey()).release();
		}
		return engine.template().acquire(request.waitTime(Duration.ZERO));
	}

	/**
	 * Return a request that waits longer than anything takes here which happens at all.
	 */
	final LockRequest patient(String key) {
		return LockRequest.of(key).waitTime(patience());
	}

	private Duration patience() {
		return briefTtl().multipliedBy(2).plus(soon()).plusSeconds(5);
	}

	/**
	 * Return how late something may be seen to happen: as late as the store may be, and
	 * some time for threads of this JVM that a virtual clock does not wait for.
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
	 * Let time pass until something has happened.
	 */
	final void until(String what, BooleanSupplier happened) {
		long end = now() + patience().toNanos();
		// Nor does a virtual clock wait for a thread of this JVM that stands still.
		long realEnd = System.nanoTime() + STANDSTILL.toNanos();
		passTime(what, happened, () -> now() - end > 0 && System.nanoTime() - realEnd > 0);
	}

	private void passTime(String what, BooleanSupplier happened, BooleanSupplier tooLate) {
		while (!happened.getAsBoolean()) {
			if (tooLate.getAsBoolean()) {
				throw new AssertionError("In vain the test waited until " + what);
			}
			// So that a virtual clock does not run away from threads that are at work.
			LockSupport.parkNanos(1_000_000);
			if (!happened.getAsBoolean()) {
				elapse(STEP);
			}
		}
	}

}
