package io.distributedlock.observation;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import io.distributedlock.LossReason;
import io.distributedlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;

/**
 * Registers counters, or finds them if they are registered.
 */
final class LockCounters {

	private static final String PREFIX = "distributed.lock.";

	private static final String REASON = "lock.reason";

	private static final String LIMIT = "lock.limit";

	private LockCounters() {
	}

	static Counter lost(MeterRegistry registry, NamedLock lock, LossReason reason) {
		return Counter.builder(PREFIX + "lost")
			.description("Leases that were lost")
			.tags(lock.tags().and(REASON, TagValues.of(reason)))
			.register(registry);
	}

	static Counter missedTicks(MeterRegistry registry, String store, String name) {
		return Counter.builder(PREFIX + "missed.ticks")
			.description("Ticks of scheduled methods that this instance has missed")
			.tags(Tags.of(LowCardinalityKeyNames.STORE.asString(), store, LowCardinalityKeyNames.NAME.asString(), name))
			.register(registry);
	}

	static Counter rejected(MeterRegistry registry, String store, String limit) {
		return Counter.builder(PREFIX + "rejected")
			.description("Requests that a limit of this instance has refused")
			.tags(Tags.of(LowCardinalityKeyNames.STORE.asString(), store, LIMIT, limit))
			.register(registry);
	}

}
