package io.distributedlock.it.cluster;

import java.time.Duration;

import io.distributedlock.it.redlock.RedlockServers;

class RedlockGroupClusterIntegrationTests extends GroupClusterContract {

	@Override
	ClusterStore store() {
		return ClusterStore.redlock(RedlockServers.shared().first(3).ports(), Duration.ofSeconds(10))
			.with("--lock.redlock.quarantine-on-empty=false");
	}

}
