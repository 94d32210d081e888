package io.distributedlock.benchmarks.redis;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * Redisson with its default settings: 24 connections, and locks that its watchdog renews.
 */
final class RedissonSide implements Side {

	private static final int WAIT_SECONDS = 10;

	private final RedissonClient client;

	private final Locking locking;

	private RedissonSide(Address address, Locking locking) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://127.0.0.1:" + address.port());
		this.client = Redisson.create(config);
		this.locking = locking;
	}

	/**
	 * Create a side with the lock that has no token.
	 */
	static RedissonSide plain(Address address) {
		return new RedissonSide(address, (client, key) -> {
			RLock lock = client.getLock("redisson:" + key);
			return lock.tryLock(WAIT_SECONDS, TimeUnit.SECONDS) ? lock : null;
		});
	}

	/**
	 * Create a side with the lock that gives a token.
	 */
	static RedissonSide fenced(Address address) {
		return new RedissonSide(address, (client, key) -> {
			RFencedLock lock = client.getFencedLock("redisson-fenced:" + key);
			return (lock.tryLockAndGetToken(WAIT_SECONDS, TimeUnit.SECONDS) != null) ? lock : null;
		});
	}

	@Override
	public Held acquire(String key) throws InterruptedException {
		RLock lock = this.locking.lock(this.client, key);
		if (lock == null) {
			throw new IllegalStateException("Not locked: " + key);
		}
		return lock::unlock;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	@FunctionalInterface
	private interface Locking {

		/**
		 * Take a lock.
		 * @return the lock, or {@code null} if it was not free in time
		 */
		@Nullable RLock lock(RedissonClient client, String key) throws InterruptedException;

	}

}
