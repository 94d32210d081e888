package io.distributedlock.it.redis;

import java.util.List;

import io.distributedlock.scheduling.ScheduledTickContract;

class ClusterTicksIntegrationTests extends ScheduledTickContract {

	@Override
	protected List<String> store() {
		return List.of("lock.backend=redis",
				"spring.data.redis.cluster.nodes=127.0.0.1:" + RedisCluster.ports().get(0));
	}

}
