package io.distributedlock.sample.page;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

import io.distributedlock.LockInfo;
import io.distributedlock.Locks;
import io.distributedlock.sample.CountRunRepository;
import io.distributedlock.sample.OrderRepository;
import io.distributedlock.sample.outage.StoreSwitch;
import io.distributedlock.spi.HeldLease;
import io.distributedlock.spi.StoreMonitor;
import io.distributedlock.spi.StoreMonitors;

/**
 * Reads what the page shows: locks and runs of all instances, waiting calls and events of
 * this one. A part that can't be read is left out, and the page keeps what it has.
 */
@Component
class PageState {

	private static final Logger logger = LoggerFactory.getLogger(PageState.class);

	private static final int MOST_LOCKS = 50;

	private static final int MOST_ORDERS = 6;

	private static final int MOST_RUNS = 8;

	private final String instance;

	private final Locks locks;

	private final StoreMonitors stores;

	private final StoreSwitch power;

	private final LockEventLog events;

	private final OrderRepository orders;

	private final CountRunRepository runs;

	PageState(@Value("${lock.instance-id}") String instance, Locks locks, StoreMonitors stores, StoreSwitch power,
			LockEventLog events, OrderRepository orders, CountRunRepository runs) {
		this.instance = instance;
		this.locks = locks;
		this.stores = stores;
		this.power = power;
		this.events = events;
		this.orders = orders;
		this.runs = runs;
	}

	/**
	 * Return all parts by name.
	 */
	Map<String, Object> read() {
		Map<String, Object> state = new LinkedHashMap<>();
		state.put("instance", this.instance);
		add(state, "store", this::store);
		add(state, "holders", this::holders);
		add(state, "waiters", this::waiters);
		add(state, "events", this.events::latest);
		add(state, "orders", () -> this.orders.first(MOST_ORDERS));
		add(state, "runs", () -> this.runs.latest(MOST_RUNS));
		return state;
	}

	private static void add(Map<String, Object> state, String name, Supplier<Object> part) {
		try {
			state.put(name, part.get());
		}
		catch (RuntimeException ex) {
			logger.debug("The page goes without {}", name, ex);
		}
	}

	private StoreMonitor monitor() {
		return this.stores.monitors().iterator().next();
	}

	private Store store() {
		String address = monitor().address();
		String shown = (address != null) ? address.replace(System.getProperty("user.home"), "~") : null;
		return new Store(monitor().name(), shown, this.power.isAway());
	}

	private List<Holder> holders() {
		Map<String, HeldLease> held = new HashMap<>();
		monitor().held().forEach((lease) -> lease.keys().forEach((key) -> held.put(key, lease)));
		return this.locks.list().limit(MOST_LOCKS).map((lock) -> holder(lock, held.get(lock.key()))).toList();
	}

	private Holder holder(LockInfo lock, @Nullable HeldLease lease) {
		long remaining = lock.remaining().toMillis();
		if (lease == null || !lock.instance().equals(this.instance)) {
			return new Holder(lock.key(), lock.instance(), Long.toString(lock.fencingToken()), null, remaining);
		}
		// The store knows the greatest token that may be handed over, this instance that
		// of the lease.
		return new Holder(lock.key(), lock.instance(), Long.toString(lease.fencingToken()), lease.ttl().toMillis(),
				remaining);
	}

	private List<WaitingCall> waiters() {
		return monitor().waiting()
			.stream()
			.flatMap((call) -> call.keys().stream().map((key) -> new WaitingCall(key, call.waited().toMillis())))
			.toList();
	}

	/**
	 * The store of the locks.
	 *
	 * @param name its name
	 * @param address its address, if known
	 * @param away whether it was taken away from this instance
	 */
	record Store(String name, @Nullable String address, boolean away) {
	}

	/**
	 * The holder of a lock.
	 *
	 * @param key the key
	 * @param instance the instance
	 * @param token the fencing token; text, because it may exceed what JavaScript can
	 * count
	 * @param ttl how long the lease lasts without renewal, if this instance holds it
	 * @param remaining the milliseconds until it expires
	 */
	record Holder(String key, String instance, String token, @Nullable Long ttl, long remaining) {
	}

	/**
	 * A call of this instance that waits for a lock.
	 *
	 * @param key the key
	 * @param waited for how many milliseconds it has waited
	 */
	record WaitingCall(String key, long waited) {
	}

}
