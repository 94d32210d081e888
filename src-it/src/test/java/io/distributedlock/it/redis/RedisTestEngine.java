package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.LockTemplate;
import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LeaseRetention;

/**
 * The engine of one JVM over a Redis.
 */
final class RedisTestEngine implements AutoCloseable {

	private final SystemLockClock clock = new SystemLockClock();

	private final LockEngine engine;

	private final LockTemplate template;

	RedisTestEngine(RedisConnectionFactory factory, HandOverSettings handOver) {
		RedisLockBackend backend = new RedisLockBackend(factory, new RedisLockSettings(RedisTestClient.PREFIX,
				"test@host:1", Duration.ofSeconds(2), Duration.ofHours(1)), this.clock);
		EngineSettings settings = new EngineSettings(Duration.ofSeconds(30), Duration.ofSeconds(60), null,
				Duration.ofSeconds(2), Duration.ofSeconds(5), handOver);
		this.engine = new LockEngine(backend, settings, this.clock, List.of(), List.of());
		this.template = new DefaultLockTemplate(this.engine, new DefaultScopes(this.engine, LeaseRetention.NONE));
	}

	LockTemplate template() {
		return this.template;
	}

	@Override
	public void close() {
		this.engine.stop();
		this.clock.close();
	}

}
