package io.distributedlock.it.etcd;

import io.etcd.jetcd.Client;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.backend.etcd.EtcdLockBackendContract;
import io.distributedlock.it.FurtherTopology;

/**
 * The contract of all stores on a cluster of three members.
 */
@RequiresEtcd
@FurtherTopology
class EtcdClusterLockBackendContractIntegrationTests extends EtcdLockBackendContract {

	private static EtcdCluster cluster;

	private static Client client;

	@BeforeAll
	static void start() {
		cluster = EtcdCluster.start();
		client = cluster.client();
	}

	@AfterAll
	static void end() {
		client.close();
		cluster.close();
	}

	@Override
	protected Client connections() {
		return client;
	}

}
