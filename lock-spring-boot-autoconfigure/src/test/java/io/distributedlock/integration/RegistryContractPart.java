package io.distributedlock.integration;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * The vocabulary of the registry's contract. All tests of a class share its clients.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RegistryContractPart {

	private final List<RegistryClient> clients = new ArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	/**
	 * Start an application that shares only the store with the previous ones.
	 * @return its locks
	 */
	protected abstract RegistryClient newClient();

	/**
	 * Return whether the store itself knows the TTL of each lease.
	 * @return whether it does, instead of knowing only that of a session
	 */
	protected boolean storeKnowsTheTtl() {
		return true;
	}

	/**
	 * Return how often a race is repeated: {@code -Dlock.test.rounds}, 10 by default.
	 */
	static int rounds() {
		return Integer.getInteger("lock.test.rounds", 10);
	}

	final RegistryClient here() {
		return client(0);
	}

	final RegistryClient there() {
		return client(1);
	}

	final LeaseLockRegistry registry() {
		return here().registry();
	}

	private synchronized RegistryClient client(int index) {
		while (this.clients.size() <= index) {
			this.clients.add(newClient());
		}
		return this.clients.get(index);
	}

	@AfterAll
	synchronized void endClients() {
		this.threads.shutdownNow();
		this.clients.forEach((client) -> client.end().run());
	}

	/**
	 * Return a key that no other test uses.
	 */
	static String newKey() {
		return "registry:" + UUID.randomUUID();
	}

	/**
	 * Run a task on another thread.
	 */
	final <T> Future<T> elsewhere(Callable<T> task) {
		return this.threads.submit(task);
	}

	static <T> T get(Future<T> future) throws Exception {
		return future.get(60, TimeUnit.SECONDS);
	}

	/**
	 * Return whether another application would find the lock busy.
	 */
	final boolean isTaken(String key) throws Exception {
		return get(elsewhere(() -> {
			DistributedLock lock = there().registry().obtain(key);
			boolean free = lock.tryLock();
			if (free) {
				lock.unlock();
			}
			return !free;
		}));
	}

	final void takeAway(String key) {
		if (!there().locks().forceRelease(key)) {
			throw new AssertionError("Nobody held '" + key + "'");
		}
	}

	static void await(CountDownLatch latch) throws InterruptedException {
		if (!latch.await(60, TimeUnit.SECONDS)) {
			throw new AssertionError("Nothing has happened for a minute");
		}
	}

}
