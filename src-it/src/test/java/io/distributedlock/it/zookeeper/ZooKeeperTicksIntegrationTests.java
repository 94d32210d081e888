package io.distributedlock.it.zookeeper;

import java.util.List;

import io.distributedlock.scheduling.ScheduledTickContract;

class ZooKeeperTicksIntegrationTests extends ScheduledTickContract {

	@Override
	protected List<String> store() {
		return List.of("lock.backend=zookeeper", "lock.zookeeper.connect-string=" + ZooKeeperServer.connectString());
	}

}
