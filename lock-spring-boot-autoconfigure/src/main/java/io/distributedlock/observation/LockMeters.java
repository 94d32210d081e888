package io.distributedlock.observation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.StoreListener;
import io.distributedlock.spi.StoreMonitor;
import io.distributedlock.spi.StoreMonitors;

/**
 * The meters of the locks of an application, except those of acquisitions and holds,
 * which are observations, and of calls to stores.
 * <p>
 * Gauges read the state of the engines when they are scraped and cost nothing otherwise.
 * The meters of a name appear with its first request, counters with zero: an alert on an
 * increase needs the value before the first event.
 *
 * @since 0.1.0
 */
public final class LockMeters implements MeterBinder, LockListener, StoreListener {

	private static final List<String> LIMITS = List.of("max-held", "max-held-per-name", "max-waiters",
			"max-waiters-per-name");

	private final Supplier<StoreMonitors> stores;

	private final LockNameTags names;

	private final LockClock clock;

	private final Map<String, ActivityCounts> counts = new ConcurrentHashMap<>();

	// Registries and names may come in any order, also at the same time. Each is added
	// here before it is combined with all of the other kind, so that no combination is
	// left out; one that is bound twice has the same meters.
	private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

	private final Set<NamedLock> locks = ConcurrentHashMap.newKeySet();

	private final Set<NamedTicks> ticks = ConcurrentHashMap.newKeySet();

	private final Set<StoreNode> nodes = ConcurrentHashMap.newKeySet();

	/**
	 * Create meters.
	 * @param stores supplies the monitors of the stores, when meters are bound
	 * @param names bounds the names in tags
	 * @param clock the source of time
	 */
	public LockMeters(Supplier<StoreMonitors> stores, LockNameTags names, LockClock clock) {
		this.stores = stores;
		this.names = names;
		this.clock = clock;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.registries.add(registry);
		for (StoreMonitor store : this.stores.get().monitors()) {
			LockGauges.circuit(registry, store);
			// These are there even if no lock is ever requested.
			this.locks.add(new NamedLock(store.name(), LockNameTags.NONE, LockMode.EXCLUSIVE));
			this.ticks.add(new NamedTicks(store.name(), LockNameTags.NONE));
			LIMITS.forEach((limit) -> LockCounters.rejected(registry, store.name(), limit));
		}
		this.locks.forEach((lock) -> bind(registry, lock));
		this.ticks.forEach((name) -> bind(registry, name));
		this.nodes.forEach((node) -> bind(registry, node));
		bindNodes();
	}

	private ActivityCounts counts(StoreMonitor store) {
		return this.counts.computeIfAbsent(store.name(), (name) -> new ActivityCounts(store, this.names, this.clock));
	}

	/**
	 * Register the gauges of the nodes that stores know now. A store knows them while it
	 * is connected, and the meters are bound before that. Repeatable.
	 */
	public void bindNodes() {
		for (StoreMonitor store : this.stores.get().monitors()) {
			for (NodeStatus status : store.nodes()) {
				StoreNode node = new StoreNode(store.name(), status.node());
				if (this.nodes.add(node)) {
					this.registries.forEach((registry) -> bind(registry, node));
				}
			}
		}
	}

	private void bind(MeterRegistry registry, StoreNode node) {
		this.stores.get()
			.find(node.store())
			.ifPresent((store) -> LockGauges.quarantine(registry, store, node.address()));
	}

	/**
	 * Register the meters of a request's name, unless they are registered. Called for
	 * each request, on the thread of its caller.
	 * @param store the name of the store
	 * @param request the request
	 */
	public void seen(String store, LockRequest request) {
		String name = this.names.of(request);
		NamedLock lock = new NamedLock(store, name, request.getMode());
		if (!this.locks.contains(lock) && this.locks.add(lock)) {
			this.registries.forEach((registry) -> bind(registry, lock));
			bindNodes();
		}
		if (request.getTick() != null) {
			NamedTicks scheduled = new NamedTicks(store, name);
			if (!this.ticks.contains(scheduled) && this.ticks.add(scheduled)) {
				this.registries.forEach((registry) -> bind(registry, scheduled));
			}
		}
	}

	private void bind(MeterRegistry registry, NamedLock lock) {
		this.stores.get().find(lock.store()).ifPresent((store) -> {
			LockGauges.held(registry, store, lock, counts(store));
			LockGauges.waiting(registry, store, lock, counts(store));
			LockGauges.overdue(registry, store, lock, counts(store));
			for (LossReason reason : LossReason.values()) {
				LockCounters.lost(registry, lock, reason);
			}
		});
	}

	private static void bind(MeterRegistry registry, NamedTicks name) {
		LockCounters.missedTicks(registry, name.store(), name.name());
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		NamedLock lock = new NamedLock(backend, this.names.of(request), request.getMode());
		this.registries.forEach((registry) -> LockCounters.lost(registry, lock, reason).increment());
	}

	/**
	 * Count a tick that this instance has missed.
	 * @param event the tick
	 */
	public void missed(TickMissedEvent event) {
		String name = this.names.of(event.name());
		this.registries.forEach((registry) -> LockCounters.missedTicks(registry, event.backend(), name).increment());
	}

	@Override
	public void limitReached(String store, LockRequest request, String limit) {
		this.registries.forEach((registry) -> LockCounters.rejected(registry, store, limit).increment());
	}

	/**
	 * Identifies the counter of the ticks of a name.
	 *
	 * @param store the name of the store
	 * @param name the name in tags
	 */
	private record NamedTicks(String store, String name) {
	}

	/**
	 * Identifies the gauge of a node.
	 *
	 * @param store the name of the store
	 * @param address the address of the node
	 */
	private record StoreNode(String store, String address) {
	}

}
