package io.distributedlock.benchmarks.redlock;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * Redisson's Redlock, with a client in its default configuration for each node. Its
 * watchdog renews the lease; there is no token.
 */
final class RedissonRedlock implements Side {

	private final List<RedissonClient> clients;

	RedissonRedlock(Address address) {
		this.clients = address.ports().stream().map((port) -> {
			Config config = new Config();
			config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
			return Redisson.create(config);
		}).toList();
	}

	// Redisson advises against its Redlock by now, but has no other lock on several
	// servers.
	@Override
	@SuppressWarnings("deprecation")
	public Held acquire(String key) throws InterruptedException {
		RLock lock = new RedissonRedLock(
				this.clients.stream().map((client) -> client.getLock("redisson:" + key)).toArray(RLock[]::new));
		if (!lock.tryLock(10, TimeUnit.SECONDS)) {
			throw new IllegalStateException("'" + key + "' was not free within 10 s");
		}
		return lock::unlock;
	}

	@Override
	public void close() {
		this.clients.forEach(RedissonClient::shutdown);
	}

}
