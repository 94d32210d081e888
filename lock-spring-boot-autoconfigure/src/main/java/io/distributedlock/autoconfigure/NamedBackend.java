package io.distributedlock.autoconfigure;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;

import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.epoch.TokenEpoch;
import io.distributedlock.epoch.TokenEpochBackend;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;

/**
 * A store with its name in the properties.
 *
 * @param name the name
 * @param backend the store
 */
record NamedBackend(String name, LockBackend backend) {

	LockEngine toEngine(LockProperties properties, LockClock clock, ObjectProvider<LockListener> listeners,
			List<LockRequestCustomizer> customizers) {
		// Only this process uses the local store.
		boolean shared = !(this.backend instanceof LocalLockBackend);
		LockBackend withEpoch = TokenEpochBackend.of(this.name, this.backend, new TokenEpoch(properties.tokenEpoch()),
				clock, shared);
		return new LockEngine(this.name, withEpoch, properties.toEngineSettings(), clock,
				listeners.orderedStream().toList(), customizers);
	}

}
