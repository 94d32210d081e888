package io.distributedlock.it.sample;

import java.util.List;

import org.junit.jupiter.api.AfterAll;

import io.distributedlock.it.net.FreePorts;

/**
 * The sample's profile {@code zookeeper-local}: the instance that comes first starts a
 * ZooKeeper for both.
 */
class LocalZooKeeperSampleIntegrationTests extends SampleContract {

	private static final int PORT = FreePorts.next();

	/**
	 * With a session that ends as soon as a lease in the other stores.
	 */
	@Override
	List<String> arguments() {
		return List.of("--spring.profiles.active=zookeeper-local", "--sample.zookeeper.port=" + PORT,
				"--lock.zookeeper.session-timeout=3s");
	}

	/**
	 * Let the instances stop by themselves, so that they take their server with them.
	 */
	@AfterAll
	static void stopInstances() throws InterruptedException {
		stopAll();
	}

}
