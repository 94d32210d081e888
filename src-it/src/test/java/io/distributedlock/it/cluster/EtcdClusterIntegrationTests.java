package io.distributedlock.it.cluster;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;

import io.distributedlock.it.etcd.EtcdCluster;
import io.distributedlock.it.etcd.RequiresEtcd;

@RequiresEtcd
class EtcdClusterIntegrationTests extends ClusterContract {

	/**
	 * The session of the JVM that was killed, half as long again for who waits, and time
	 * for a member that looks each half second.
	 */
	private static final Duration UNTIL_KEYS_COME_BACK = Duration.ofSeconds(6);

	private final EtcdCluster members = EtcdCluster.start();

	@Override
	ClusterStore store() {
		return ClusterStore.etcd(this.members.urls());
	}

	@Override
	ClusterPlan plan() {
		ClusterPlan full = super.plan();
		return full.with(Disturbance.deathOfTheFirstJvm(full.duration(), UNTIL_KEYS_COME_BACK));
	}

	@AfterEach
	void end() {
		this.members.close();
	}

}
