package io.distributedlock.it.operations;

import java.util.List;

import io.distributedlock.it.redis.RedisServer;

/**
 * Fifty threads take locks while Redis is down and the driver is Jedis.
 */
class JedisOutageLoadIntegrationTests extends OutageLoadContract {

	@Override
	String store() {
		return "redis";
	}

	@Override
	List<Integer> ports() {
		return List.of(RedisServer.port());
	}

	@Override
	List<String> properties(List<Integer> ports) {
		return List.of("spring.data.redis.client-type=jedis", "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + ports.get(0));
	}

}
