package io.distributedlock.it.sample;

import java.util.List;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.redis.RedisServer;

/**
 * The sample's profile {@code redis}: the locks are in a running Redis.
 */
@FurtherTopology
class RedisSampleIntegrationTests extends SampleContract {

	@Override
	List<String> arguments() {
		return List.of("--spring.profiles.active=redis", "--spring.data.redis.host=127.0.0.1",
				"--spring.data.redis.port=" + RedisServer.port());
	}

}
