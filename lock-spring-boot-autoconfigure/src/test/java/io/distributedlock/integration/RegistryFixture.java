package io.distributedlock.integration;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LeaseKeeper;
import io.distributedlock.spi.LockBackend;

/**
 * A registry over a local store whose time stands still, and a second thread.
 */
final class RegistryFixture implements AutoCloseable {

	final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	final CutOffBackend client = client();

	private final LockEngine engine = engine(this.client);

	private final DefaultScopes scopes = new DefaultScopes(this.engine, LeaseKeeper.NONE);

	final LockTemplate template = new DefaultLockTemplate(this.engine, this.scopes);

	final Locks locks = new DefaultLocks(this.engine);

	final LeaseLockRegistry registry = new LeaseLockRegistry(this.scopes, EngineSettings.DEFAULTS.ttl());

	private final ExecutorService otherThread = Executors.newSingleThreadExecutor();

	private CutOffBackend client() {
		return new CutOffBackend(new LocalLockBackend(this.store, "test", this.clock));
	}

	private LockEngine engine(LockBackend client) {
		return new LockEngine(client, EngineSettings.DEFAULTS, this.clock, List.of(), List.of());
	}

	/**
	 * Return the registry of another JVM that shares the store.
	 */
	LeaseLockRegistry neighbour() {
		return new LeaseLockRegistry(new DefaultScopes(engine(client()), LeaseKeeper.NONE),
				EngineSettings.DEFAULTS.ttl());
	}

	<T> Future<T> elsewhere(Callable<T> task) {
		return this.otherThread.submit(task);
	}

	<T> T resultElsewhere(Callable<T> task) throws Exception {
		return elsewhere(task).get(10, TimeUnit.SECONDS);
	}

	/**
	 * Take the lock away from whoever holds it.
	 */
	void lose(String key) {
		this.locks.forceRelease(key);
	}

	Duration remaining(String key) {
		return this.locks.find(key).orElseThrow().remaining();
	}

	boolean isHeld(String key) {
		return this.locks.find(key).isPresent();
	}

	@Override
	public void close() {
		this.otherThread.shutdownNow();
		this.engine.stop();
	}

}
