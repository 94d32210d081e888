package io.distributedlock.autoconfigure;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;

import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;

/**
 * A store, by the name by which the properties know it.
 *
 * @param name the name
 * @param backend the store
 */
record NamedBackend(String name, LockBackend backend) {

	LockEngine toEngine(LockProperties properties, LockClock clock, ObjectProvider<LockListener> listeners,
			List<LockRequestCustomizer> customizers) {
		return new LockEngine(this.name, this.backend, properties.toEngineSettings(), clock,
				listeners.orderedStream().toList(), customizers);
	}

}
