package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.zookeeper.ZooKeeperEnsemble;
import io.distributedlock.it.zookeeper.ZooKeeperProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several JVMs and an ensemble of three ZooKeepers, one of which is killed and started
 * again under load.
 */
@FurtherTopology
class ZooKeeperFaultClusterIntegrationTests {

	private static final Duration QUARTER = ClusterPlan.full().duration().dividedBy(4);

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void deathAndReturnOfAFollowerNeverLetTwoHoldALock() throws Exception {
		run((ensemble) -> ensemble.follower(0));
	}

	@Test
	void deathAndReturnOfTheLeaderNeverLetTwoHoldALock() throws Exception {
		run(ZooKeeperEnsemble::leader);
	}

	private void run(Function<ZooKeeperEnsemble, ZooKeeperProcess> victim) throws Exception {
		try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.direct(this.processes)) {
			ClusterPlan plan = ClusterPlan.full().with((jvms) -> {
				Disturbance.pass(QUARTER);
				ZooKeeperProcess server = victim.apply(ensemble);
				server.kill();
				Disturbance.pass(QUARTER);
				server.start();
				long startedAt = System.nanoTime();
				Disturbance.pass(QUARTER.multipliedBy(2));
				return startedAt;
			});
			ClusterStore store = ClusterStore.zookeeper(ensemble.connectString());

			Run run = new Cluster(this.processes, this.folder, store, plan).run();

			System.out.println(getClass().getSimpleName() + ": " + run.report() + "; " + run.faults() + " faults");
			assertThat(run.report().violations()).isEmpty();
			assertThat(run.report().grants()).hasSize(plan.jvms());
			assertThat(run.keysGrantedLater()).isEqualTo(plan.keys());
		}
	}

}
