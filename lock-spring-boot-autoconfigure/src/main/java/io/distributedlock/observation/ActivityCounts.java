package io.distributedlock.observation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.spi.HeldLease;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.StoreMonitor;
import io.distributedlock.spi.WaitingRequest;

/**
 * Counts the leases and the waiters of a store by name and mode, for its gauges. All
 * gauges of a scrape share one look at the engine.
 */
final class ActivityCounts {

	private static final long KEPT = Duration.ofMillis(500).toNanos();

	private final StoreMonitor store;

	private final LockNameTags names;

	private final LockClock clock;

	// Guarded by the monitor.
	private Counts counts = Counts.NONE;

	ActivityCounts(StoreMonitor store, LockNameTags names, LockClock clock) {
		this.store = store;
		this.names = names;
		this.clock = clock;
	}

	int held(String name, LockMode mode) {
		return counts().held().getOrDefault(new NameAndMode(name, mode), 0);
	}

	int waiting(String name, LockMode mode) {
		return counts().waiting().getOrDefault(new NameAndMode(name, mode), 0);
	}

	int overdue(String name, LockMode mode) {
		return counts().overdue().getOrDefault(new NameAndMode(name, mode), 0);
	}

	private synchronized Counts counts() {
		long now = this.clock.nanoTime();
		if (this.counts == Counts.NONE || now - this.counts.at() >= KEPT) {
			this.counts = count(now);
		}
		return this.counts;
	}

	private Counts count(long now) {
		Map<NameAndMode, Integer> held = new HashMap<>();
		Map<NameAndMode, Integer> waiting = new HashMap<>();
		Map<NameAndMode, Integer> overdue = new HashMap<>();
		for (HeldLease lease : this.store.held()) {
			NameAndMode lock = new NameAndMode(this.names.of(lease.name()), lease.mode());
			held.merge(lock, 1, Integer::sum);
			if (lease.isOverdue()) {
				overdue.merge(lock, 1, Integer::sum);
			}
		}
		for (WaitingRequest call : this.store.waiting()) {
			waiting.merge(new NameAndMode(this.names.of(call.name()), call.mode()), 1, Integer::sum);
		}
		return new Counts(now, held, waiting, overdue);
	}

	/**
	 * Identifies the gauges of a lock.
	 *
	 * @param name the name in tags
	 * @param mode the mode
	 */
	private record NameAndMode(String name, LockMode mode) {
	}

	/**
	 * The counts at one time.
	 */
	private record Counts(long at, Map<NameAndMode, Integer> held, Map<NameAndMode, Integer> waiting,
			Map<NameAndMode, Integer> overdue) {

		private static final Counts NONE = new Counts(0, Map.of(), Map.of(), Map.of());

	}

}
