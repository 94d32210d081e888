package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.engine.EngineInstruments;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.epoch.TokenEpoch;
import io.distributedlock.epoch.TokenEpochBackend;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;

/**
 * What the engines of all stores have in common.
 *
 * @param settings the defaults of requests
 * @param epoch the epoch of this instance
 * @param clock the source of time
 * @param listeners notified of all events
 * @param instruments what watches the engines, and bounds what they may do
 * @param decorator puts something in front of each store
 */
record EngineEnvironment(EngineSettings settings, TokenEpoch epoch, LockClock clock, List<LockListener> listeners,
		EngineInstruments instruments, BackendDecorator decorator) {

	/**
	 * Create the engine of a store.
	 * @param store the store
	 * @param customizers change requests before they are sent, in this order
	 */
	LockEngine engine(NamedBackend store, List<LockRequestCustomizer> customizers) {
		// Only this process uses the local store.
		boolean shared = !(store.backend() instanceof LocalLockBackend);
		LockBackend backend = TokenEpochBackend.of(store.name(), this.decorator.decorate(store.name(), store.backend()),
				this.epoch, this.clock, shared);
		return new LockEngine(store.name(), backend, this.settings, this.clock, this.listeners, customizers,
				this.instruments);
	}

}
