package io.distributedlock.benchmarks.zookeeper;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * Curator's mutex, one for each key.
 */
final class CuratorMutexes implements Side {

	private static final long WAIT_SECONDS = 10;

	private final CuratorFramework client;

	private final ConcurrentMap<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();

	CuratorMutexes(Address address) {
		this.client = CuratorClients.connect(address);
	}

	@Override
	public Held acquire(String key) throws Exception {
		InterProcessMutex mutex = this.mutexes.computeIfAbsent(key,
				(added) -> new InterProcessMutex(this.client, "/curator/" + added));
		if (!mutex.acquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
			throw new IllegalStateException("'" + key + "' was not acquired");
		}
		return mutex::release;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
