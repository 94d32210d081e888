package io.distributedlock.observation;

import java.util.ArrayList;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Measures the calls to all stores of an application. Stores and registries may come in
 * any order.
 *
 * @since 0.1.0
 */
public final class MeteredStores implements MeterBinder {

	private final LockClock clock;

	// Both are guarded by the monitor.
	private final List<StoreMeters> stores = new ArrayList<>();

	private final List<MeterRegistry> registries = new ArrayList<>();

	/**
	 * Create the meters.
	 * @param clock the source of time
	 */
	public MeteredStores(LockClock clock) {
		this.clock = clock;
	}

	/**
	 * Measure the calls to a store.
	 * @param store the name of the store
	 * @param backend the store
	 * @return the store to use
	 */
	public synchronized LockBackend measure(String store, LockBackend backend) {
		StoreMeters meters = new StoreMeters(store, this.clock);
		this.registries.forEach(meters::bindTo);
		this.stores.add(meters);
		return new MeteredLockBackend(backend, meters);
	}

	@Override
	public synchronized void bindTo(MeterRegistry registry) {
		this.registries.add(registry);
		this.stores.forEach((meters) -> meters.bindTo(registry));
	}

}
