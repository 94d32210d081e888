package io.distributedlock.observation;

import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import io.distributedlock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.distributedlock.spi.CircuitState;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.StoreMonitor;

/**
 * Registers the gauges of a store.
 */
final class LockGauges {

	private static final String PREFIX = "distributed.lock.";

	private static final String NODE = "lock.node";

	private LockGauges() {
	}

	static void held(MeterRegistry registry, StoreMonitor store, NamedLock lock, ActivityCounts counts) {
		register(registry, "held", "Leases that this instance holds", lock.tags(), store,
				(monitor) -> counts.held(lock.name(), lock.mode()));
	}

	static void waiting(MeterRegistry registry, StoreMonitor store, NamedLock lock, ActivityCounts counts) {
		register(registry, "waiting", "Calls of this instance that wait for a lock", lock.tags(), store,
				(monitor) -> counts.waiting(lock.name(), lock.mode()));
	}

	static void overdue(MeterRegistry registry, StoreMonitor store, NamedLock lock, ActivityCounts counts) {
		register(registry, "overdue", "Leases that are held for longer than twice their TTL", lock.tags(), store,
				(monitor) -> counts.overdue(lock.name(), lock.mode()));
	}

	static void circuit(MeterRegistry registry, StoreMonitor store) {
		register(registry, "circuit.open", "Whether acquisitions fail without asking the store", tags(store), store,
				(monitor) -> (monitor.circuit() != CircuitState.CLOSED) ? 1 : 0);
	}

	static void quarantine(MeterRegistry registry, StoreMonitor store, String node) {
		register(registry, "node.quarantined", "Whether a node is in quarantine", tags(store).and(NODE, node), store,
				(monitor) -> isQuarantined(monitor, node) ? 1 : 0);
	}

	private static boolean isQuarantined(StoreMonitor store, String node) {
		return store.nodes()
			.stream()
			.anyMatch((status) -> status.node().equals(node) && status.state() == NodeStatus.State.QUARANTINED);
	}

	private static Tags tags(StoreMonitor store) {
		return Tags.of(LowCardinalityKeyNames.STORE.asString(), store.name());
	}

	private static void register(MeterRegistry registry, String name, String description, Tags tags, StoreMonitor store,
			ToDoubleFunction<StoreMonitor> value) {
		Gauge.builder(PREFIX + name, store, value)
			.description(description)
			.tags(tags)
			.strongReference(true)
			.register(registry);
	}

}
