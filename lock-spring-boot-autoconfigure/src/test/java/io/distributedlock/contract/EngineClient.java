package io.distributedlock.contract;

import java.util.List;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * A JVM: an engine with its own client, and its interfaces for applications.
 *
 * @param client the client as created by the store
 * @param store observes the engine's requests to the store
 * @param news receives the engine's events
 * @param engine the engine
 * @param template acquires locks
 * @param locks inspects locks
 */
record EngineClient(LockBackend client, ObservedBackend store, EngineNews news, LockEngine engine,
		LockTemplate template, Locks locks) {

	/**
	 * Create an engine.
	 * @param client the client as created by the store
	 * @param wire the same client or its decorator
	 */
	static EngineClient of(LockBackend client, LockBackend wire, EngineSettings settings, LockClock clock) {
		ObservedBackend store = new ObservedBackend(wire, clock);
		EngineNews news = new EngineNews();
		LockEngine engine = new LockEngine(store, settings, clock, List.of(news), List.of());
		LockTemplate template = new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseRetention.NONE));
		return new EngineClient(client, store, news, engine, template, new DefaultLocks(engine));
	}

}
