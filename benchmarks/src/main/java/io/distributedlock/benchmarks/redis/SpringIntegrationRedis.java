package io.distributedlock.benchmarks.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * The lock registry of Spring Integration, which notifies waiters of releases and renews
 * nothing by default.
 */
final class SpringIntegrationRedis implements Side {

	private static final int WAIT_SECONDS = 10;

	private final LettuceConnectionFactory factory;

	private final RedisLockRegistry registry;

	SpringIntegrationRedis(Address address) {
		this.factory = SpringConnections.to(address);
		this.registry = new RedisLockRegistry(this.factory, "spring-integration");
		this.registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
	}

	@Override
	public Held acquire(String key) throws InterruptedException {
		Lock lock = this.registry.obtain(key);
		if (!lock.tryLock(WAIT_SECONDS, TimeUnit.SECONDS)) {
			throw new IllegalStateException("Not locked: " + key);
		}
		return lock::unlock;
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.factory.destroy();
	}

}
