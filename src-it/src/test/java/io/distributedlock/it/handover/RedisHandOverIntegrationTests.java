package io.distributedlock.it.handover;

import java.time.Duration;
import java.util.List;

import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.it.redis.CommandStats;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Hand-over on Redis.
 */
class RedisHandOverIntegrationTests extends HandOverContract {

	private final StringRedisTemplate operator = new StringRedisTemplate(RedisServer.lettuce());

	@Override
	protected LockBackend newClient(LockClock clock) {
		return new RedisLockBackend(RedisServer.lettuce(),
				new RedisLockSettings(PREFIX, "test@host:1", Duration.ofSeconds(5), Duration.ofHours(1)), clock);
	}

	@Override
	protected void delete(String key) {
		String name = PREFIX + "{" + key + "}";
		this.operator.delete(List.of(name, name + ":c"));
	}

	@Override
	protected long requests() {
		CommandStats stats = CommandStats.of(RedisServer.lettuce());
		return stats.calls("evalsha") + stats.calls("eval");
	}

}
