package io.distributedlock.spi;

import java.util.Collection;
import java.util.Optional;

/**
 * The monitors of the stores of an application.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface StoreMonitors {

	/**
	 * Return the monitors of all stores.
	 * @return the monitors, that of the default store first
	 */
	Collection<? extends StoreMonitor> monitors();

	/**
	 * Return the monitor of a store.
	 * @param store the name of the store
	 * @return the monitor, or empty if no store has this name
	 */
	default Optional<StoreMonitor> find(String store) {
		return monitors().stream()
			.filter((monitor) -> monitor.name().equals(store))
			.<StoreMonitor>map((monitor) -> monitor)
			.findFirst();
	}

}
