package io.distributedlock.it.sample;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.zookeeper.ZooKeeperProcess;

/**
 * The sample's profile {@code zookeeper}: the locks are in a running ZooKeeper.
 */
@FurtherTopology
class ZooKeeperSampleIntegrationTests extends SampleContract {

	private static ZooKeeperProcess server;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperProcess.standalone(processes);
	}

	/**
	 * Adds a session that ends as soon as a lease in the other stores, for a killed
	 * instance and a stalled one.
	 */
	@Override
	List<String> arguments() {
		return List.of("--spring.profiles.active=zookeeper",
				"--lock.zookeeper.connect-string=" + server.connectString(), "--lock.zookeeper.session-timeout=3s");
	}

}
