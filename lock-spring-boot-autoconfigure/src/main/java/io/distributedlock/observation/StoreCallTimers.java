package io.distributedlock.observation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import io.distributedlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.distributedlock.spi.LockClock;

/**
 * Measures the calls to a store. Calls that end before the timers are bound to a registry
 * are not measured.
 */
final class StoreCallTimers {

	static final String NAME = "distributed.lock.store.call";

	private static final String OPERATION = "lock.operation";

	private final String store;

	private final LockClock clock;

	// Replaced by each binding; read by each call.
	private volatile List<Timers> bound = List.of();

	StoreCallTimers(String store, LockClock clock) {
		this.store = store;
		this.clock = clock;
	}

	/**
	 * Register the timers. A registry that is not a part of another one is bound once.
	 */
	synchronized void bindTo(MeterRegistry registry) {
		List<Timers> more = new ArrayList<>(this.bound);
		more.add(new Timers(registry, this.store));
		this.bound = List.copyOf(more);
	}

	long begin() {
		return this.clock.nanoTime();
	}

	void end(StoreOperation operation, long begin, boolean answered) {
		List<Timers> timers = this.bound;
		if (!timers.isEmpty()) {
			Duration length = Duration.ofNanos(Math.max(0, this.clock.nanoTime() - begin));
			timers.forEach((each) -> each.record(operation, answered, length));
		}
	}

	/**
	 * Measure a call until its stage completes.
	 * @return the stage
	 */
	<T> CompletionStage<T> measure(StoreOperation operation, long begin, CompletionStage<T> answer) {
		return answer.whenComplete((value, failure) -> end(operation, begin, failure == null));
	}

	/**
	 * The timers of one registry.
	 */
	private static final class Timers {

		private final Map<StoreOperation, Timer> answered = new EnumMap<>(StoreOperation.class);

		private final Map<StoreOperation, Timer> failed = new EnumMap<>(StoreOperation.class);

		Timers(MeterRegistry registry, String store) {
			for (StoreOperation operation : StoreOperation.values()) {
				this.answered.put(operation, timer(registry, store, operation, "ok"));
				this.failed.put(operation, timer(registry, store, operation, "error"));
			}
		}

		private static Timer timer(MeterRegistry registry, String store, StoreOperation operation, String outcome) {
			return Timer.builder(NAME)
				.description("Calls to the store of the locks")
				.tag(LowCardinalityKeyNames.STORE.asString(), store)
				.tag(OPERATION, operation.tag())
				.tag(LowCardinalityKeyNames.OUTCOME.asString(), outcome)
				.register(registry);
		}

		void record(StoreOperation operation, boolean success, Duration length) {
			Timer timer = (success ? this.answered : this.failed).get(operation);
			if (timer != null) {
				timer.record(length.toNanos(), TimeUnit.NANOSECONDS);
			}
		}

	}

}
