package io.distributedlock.it.redis;

import java.util.List;

import io.distributedlock.scheduling.ScheduledTickContract;

class RedisTicksIntegrationTests extends ScheduledTickContract {

	@Override
	protected List<String> store() {
		return List.of("lock.backend=redis", "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + RedisServer.port());
	}

}
