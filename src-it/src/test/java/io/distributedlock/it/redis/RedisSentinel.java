package io.distributedlock.it.redis;

import java.util.Set;

import io.lettuce.core.ReadFrom;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A master, its replica and their sentinel. Each instance has servers of its own.
 */
final class RedisSentinel {

	static final String NAME = "locks";

	private final RedisProcess master = RedisProcess.start("--repl-diskless-sync-delay", "0");

	private final RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1",
			String.valueOf(this.master.port()));

	private final RedisProcess sentinel;

	private RedisSentinel() {
		this.sentinel = RedisProcess.sentinel(RedisProcess.freePort(),
				"sentinel monitor " + NAME + " 127.0.0.1 " + this.master.port() + " 1",
				"sentinel down-after-milliseconds " + NAME + " 1000", "sentinel failover-timeout " + NAME + " 5000");
	}

	static RedisSentinel start() {
		return new RedisSentinel();
	}

	RedisProcess master() {
		return this.master;
	}

	RedisProcess replica() {
		return this.replica;
	}

	LettuceConnectionFactory lettuce(ReadFrom readFrom) {
		return RedisFactories.lettuce(new RedisSentinelConfiguration(NAME, Set.of("127.0.0.1:" + this.sentinel.port())),
				LettuceClientConfiguration.builder().readFrom(readFrom).build());
	}

	void stop() {
		this.sentinel.kill();
		this.replica.kill();
		this.master.kill();
	}

}
