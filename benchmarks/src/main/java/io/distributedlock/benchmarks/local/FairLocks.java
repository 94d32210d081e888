package io.distributedlock.benchmarks.local;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.benchmarks.contest.Side;

/**
 * A {@link ReentrantLock} for each key, which serves its threads first come, first
 * served. On one key it shows what a hand-over between threads costs on this machine.
 */
public final class FairLocks implements Side {

	private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

	@Override
	public Held acquire(String key) {
		ReentrantLock lock = this.locks.computeIfAbsent(key, (absent) -> new ReentrantLock(true));
		lock.lock();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.locks.clear();
	}

}
