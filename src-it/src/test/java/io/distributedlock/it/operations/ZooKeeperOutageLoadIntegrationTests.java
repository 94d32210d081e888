package io.distributedlock.it.operations;

import java.util.List;

import io.distributedlock.it.zookeeper.ZooKeeperServer;

/**
 * Fifty threads take locks while ZooKeeper is down.
 */
class ZooKeeperOutageLoadIntegrationTests extends OutageLoadContract {

	@Override
	String store() {
		return "zookeeper";
	}

	@Override
	List<Integer> ports() {
		return List.of(ZooKeeperServer.port());
	}

	@Override
	List<String> properties(List<Integer> ports) {
		return List.of("lock.zookeeper.connect-string=127.0.0.1:" + ports.get(0));
	}

}
