package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.spi.LockObserver;
import io.distributedlock.spi.StoreListener;

/**
 * What watches an engine, and bounds what it may do.
 *
 * @param observer observes acquisitions and leases
 * @param limits the limits of this instance, which all its engines share
 * @param circuit when the circuit to the store opens
 * @param listeners receive what happens between the engine and its store
 * @since 0.1.0
 */
public record EngineInstruments(LockObserver observer, LockLimits limits, CircuitSettings circuit,
		List<StoreListener> listeners) {

	/**
	 * Nothing is observed or bounded.
	 */
	public static final EngineInstruments NONE = new EngineInstruments(LockObserver.NONE,
			new LockLimits(LimitSettings.NONE), CircuitSettings.DISABLED, List.of());

	/**
	 * Create instruments.
	 */
	public EngineInstruments {
		listeners = List.copyOf(listeners);
	}

}
