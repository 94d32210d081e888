package io.distributedlock.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.distributedlock.Lease;
import io.distributedlock.LockContext;
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
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A registry over a local store whose time stands still, and a second thread.
 */
final class RegistryFixture implements AutoCloseable {

	final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	final CutOffBackend client = client();

	private final LockEngine engine = engine(this.client);

	private final DefaultScopes scopes = new DefaultScopes(this.engine, LeaseRetention.NONE);

	final LockTemplate template = new DefaultLockTemplate(this.engine, this.scopes);

	final Locks locks = new DefaultLocks(this.engine);

	private final List<LeaseLockRegistry> registries = new ArrayList<>();

	final LeaseLockRegistry registry = registry(this.scopes);

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
		return registry(new DefaultScopes(engine(client()), LeaseRetention.NONE));
	}

	private LeaseLockRegistry registry(DefaultScopes scopes) {
		LeaseLockRegistry registry = new LeaseLockRegistry(scopes, EngineSettings.DEFAULTS.ttl());
		this.registries.add(registry);
		return registry;
	}

	<T> Future<T> elsewhere(Callable<T> task) {
		return this.otherThread.submit(task);
	}

	<T> T resultElsewhere(Callable<T> task) throws Exception {
		return elsewhere(task).get(10, TimeUnit.SECONDS);
	}

	/**
	 * Take the lock away from its holder, and let its cooldown pass.
	 */
	void lose(String key) {
		this.locks.forceRelease(key);
		this.clock.advance(Duration.ofSeconds(1));
	}

	Duration remaining(String key) {
		return this.locks.find(key).orElseThrow().remaining();
	}

	boolean isHeld(String key) {
		return this.locks.find(key).isPresent();
	}

	@Override
	public void close() {
		unlockAll();
		this.otherThread.shutdownNow();
		this.engine.stop();
	}

	/**
	 * Unlock all locks that a test has left locked, because its thread runs the next
	 * test.
	 */
	private void unlockAll() {
		Optional<Lease> left = LockContext.find();
		while (left.isPresent()) {
			String key = left.get().key();
			assertThat(this.registries).as("registries with a lock on '%s'", key)
				.anyMatch((each) -> unlock(each.obtain(key)));
			left = LockContext.find();
		}
	}

	private static boolean unlock(Lock lock) {
		try {
			lock.unlock();
			return true;
		}
		catch (ConcurrentModificationException ex) {
			// The lock was lost, and is forgotten now.
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

}
