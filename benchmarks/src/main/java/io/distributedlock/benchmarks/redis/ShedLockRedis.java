package io.distributedlock.benchmarks.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * ShedLock with its default settings, over the connection that Spring shares. It can't
 * wait, so a lock that is taken is tried again at once.
 */
final class ShedLockRedis implements Side {

	private static final Duration LONGEST = Duration.ofSeconds(30);

	private final LettuceConnectionFactory factory;

	private final RedisLockProvider provider;

	ShedLockRedis(Address address) {
		this.factory = SpringConnections.to(address);
		this.provider = new RedisLockProvider(this.factory);
	}

	@Override
	public Held acquire(String key) {
		while (true) {
			Optional<SimpleLock> lock = this.provider
				.lock(new LockConfiguration(Instant.now(), key, LONGEST, Duration.ZERO));
			if (lock.isPresent()) {
				return lock.get()::unlock;
			}
			Thread.onSpinWait();
		}
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

}
