package io.distributedlock.it.zookeeper;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.distributedlock.backend.zookeeper.ZooKeeperLockBackendContract;
import io.distributedlock.backend.zookeeper.ZooKeeperRoute;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.process.JavaProcesses;

/**
 * The contract of all stores on an ensemble of three ZooKeepers. Each client may be at
 * another server.
 */
@FurtherTopology
class ZooKeeperEnsembleLockBackendContractIntegrationTests extends ZooKeeperLockBackendContract {

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	private static ZooKeeperEnsemble ensemble;

	@BeforeAll
	static void start() {
		ensemble = ZooKeeperEnsemble.direct(processes);
	}

	@AfterAll
	static void stop() {
		ensemble.close();
	}

	@Override
	protected ZooKeeperRoute newRoute() {
		return ProxyRoute.to(ensemble.ports());
	}

	@Override
	protected String direct() {
		return ensemble.connectString();
	}

}
